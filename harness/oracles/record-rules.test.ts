import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { callerFields, judgeEcho, judgeFilled, judgeIdentity, judgeTimes } from "./record-rules.ts";

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map(({ clause }) => clause);

describe("the record of a reply", () => {
  const workspaceId = { value: "01990000-0000-7000-8000-00000000000a" };
  const secretId = { value: "01990000-0000-7000-8000-00000000000b" };
  const other = { value: "01990000-0000-7000-8000-00000000000c" };
  const secret = { id: secretId, workspaceId, name: "a", resourceVersion: "1", createdAt: "2026-01-01T00:00:00Z" };
  const get = (record: JsonObject) =>
    unaryReply("alpha.v1.SecretService/GetSecret", { workspaceId, secretId }, { secret: record });

  test("the record asked for is no breach, in any letter case", () => {
    const upper = { ...secret, id: { value: secretId.value.toUpperCase() } };
    expect(judgeIdentity(get(upper))).toEqual([]);
    expect(judgeFilled(get(secret))).toEqual([]);
    expect(judgeTimes(get(secret))).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    ["another id", { id: other }, "secret.id"],
    ["another workspace", { workspaceId: other }, "secret.workspaceId"],
    ["no id", { id: null }, "secret.id"],
  ])("finds %s", (_what, change, at) => {
    expect(judgeIdentity(get({ ...secret, ...change }))).toMatchObject([{ clause: "*.records.identity", at }]);
  });

  test("finds an empty name, and a change before the creation", () => {
    expect(clausesOf(judgeFilled(get({ ...secret, name: "" })))).toEqual(["*.records.filled"]);
    expect(clausesOf(judgeTimes(get({ ...secret, updatedAt: "2025-01-01T00:00:00Z" })))).toEqual(["*.records.times"]);
  });

  test("a name that reads as a number's default, or an enum's, is one", () => {
    for (const name of ["0", "JOB_STATE_UNSPECIFIED"]) expect(judgeFilled(get({ ...secret, name }))).toEqual([]);
  });

  test("a creation shows what was sent, as a server may write it", () => {
    const create = (name: string, shown: string) =>
      judgeEcho(
        unaryReply(
          "alpha.v1.SecretService/CreateSecret",
          { workspaceId, name },
          { secret: { ...secret, name: shown } },
        ),
      );
    expect(create("a", "a")).toEqual([]);
    expect(create(" Cafe\u0301 ", "Café")).toEqual([]);
    expect(judgeEcho(get({ ...secret, name: "b" }))).toEqual([]);
    expect(create("a", "b")).toMatchObject([{ clause: "*.records.echo", at: "secret.name" }]);
  });

  test("what an empty list stores is open, a list of its own is shown", () => {
    const store = (method: "Create" | "Update", allowedBrowserTokenScopes: string[]) =>
      judgeEcho(
        unaryReply(
          `beta.v1.CustomerUserService/${method}CustomerUserGrant`,
          { workspaceId, customerUserId: secretId, allowedBrowserTokenScopes },
          { customerUserGrant: { workspaceId, customerUserId: secretId, allowedBrowserTokenScopes: ["memory:read"] } },
        ),
      );
    for (const method of ["Create", "Update"] as const) {
      expect(store(method, [])).toEqual([]);
      expect(clausesOf(store(method, ["runs:read"]))).toEqual(["*.records.echo"]);
    }
  });
});

test("fields that callers set are those of the requests that create or update a kind", () => {
  const names = callerFields("secret", "alpha.v1");
  expect(names.has("name")).toBe(true);
  expect(names.has("createdAt")).toBe(false);
});
