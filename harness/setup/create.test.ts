import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { failing, openCase, replying } from "./case.testing.ts";
import { create } from "./create.ts";

const createSecret = "alpha.v1.SecretService/CreateSecret";

test("fields differ where they are given, and the subject tells the row that showed it", async () => {
  const { context } = await openCase("alpha.v1");
  const made = await create(context, createSecret, { name: "one of its own" });
  expect(made).toMatchObject({ kind: "secret", record: { name: "one of its own" }, shownBy: createSecret });
});

test("where the row refuses, the case is unproven", async () => {
  const { context } = await openCase("alpha.v1", { decoration: failing(createSecret) });
  await expect(create(context, createSecret)).rejects.toThrow(`needs ${createSecret}, which was refused`);
});

test("a record without an id is nothing to go on with", async () => {
  const decoration = replying(createSecret, () => ({ secret: { name: "nameless" } }));
  const { context } = await openCase("alpha.v1", { decoration });
  await expect(create(context, createSecret)).rejects.toThrow("a secret record came without an id");
});

const createGrant = "beta.v1.CustomerUserService/CreateCustomerUserGrant";

/** A decoration that refuses grants which name a tool. */
const refusingTools = {
  request(json: JsonObject, { rpc }: { readonly rpc: string }) {
    const names = (json.allowedToolIds as JsonObject[] | undefined) ?? [];
    // An id of no form there is.
    return rpc === createGrant && names.length > 0 ? { ...json, workspaceId: { value: "none" } } : json;
  },
};

test("a grant whose tools are refused is made without them, unless the case is about them", async () => {
  const { context, asked } = await openCase("beta.v1", { decoration: refusingTools });
  const made = await create(context, createGrant);
  expect(made.record.allowedToolIds ?? []).toEqual([]);
  const grants = asked.filter(({ rpc }) => rpc === createGrant).map(({ request }) => request);
  expect(grants.map((request) => "allowedToolIds" in request)).toEqual([true, false]);
  expect(grants[0]?.requestId).not.toEqual(grants[1]?.requestId);
  const own = context.target.beta.toolIds.map((value) => ({ value }));
  await expect(create(context, createGrant, { allowedToolIds: own, attributesJson: "" })).rejects.toThrow(
    `needs ${createGrant}, which was refused`,
  );
});
