import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { failing, openCase } from "./case.testing.ts";
import { nameFor } from "./secret-name.ts";

const createSecret = rpc("alpha.v1.SecretService/CreateSecret");
const createEndpoint = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");

/** A case on a server that refuses secrets whose names do not pass. */
function caseWhere(passes: RegExp) {
  return openCase("alpha.v1", {
    decoration: {
      request: (json: { readonly name?: string; readonly value?: string }) =>
        json.value === undefined || passes.test(json.name ?? "") ? json : { ...json, workspaceId: null },
    },
  });
}

test("a secret has a name as all else has, which is asked once", async () => {
  const { context, asked } = await openCase("alpha.v1");
  expect(await nameFor(context, createSecret, "db")).toMatch(/^hallmark-[a-z0-9]{8}-db-[a-z0-9]{6}$/);
  const { length } = asked;
  expect(await nameFor(context, createSecret)).toMatch(/^hallmark-/);
  expect(asked).toHaveLength(length);
});

test("where only names of environment variables are taken, secrets have one, and nothing else has", async () => {
  const { context, endRun } = await caseWhere(/^[A-Z_][A-Z0-9_]*$/);
  expect(await nameFor(context, createSecret, "db")).toMatch(/^HALLMARK_[A-Z0-9]{8}_DB_[A-Z0-9]{6}$/);
  expect((await context.setup.fresh("secret")).record.name).toMatch(/^HALLMARK_/);
  expect(await nameFor(context, createEndpoint)).toMatch(/^hallmark-/);
  expect(await endRun()).toEqual([]);
});

test("a server that takes no secret, or fails, says nothing of names", async () => {
  const refusing = await caseWhere(/^$/);
  expect(await nameFor(refusing.context, createSecret)).toMatch(/^hallmark-/);
  const broken = await openCase("alpha.v1", { decoration: failing(createSecret.name) });
  expect(await nameFor(broken.context, createSecret)).toMatch(/^hallmark-/);
});
