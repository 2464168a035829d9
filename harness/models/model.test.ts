import { describe, expect, test } from "vitest";
import { Change } from "../../proto/rpcs.ts";
import { conditionalRows, modelKind } from "./model.ts";

describe("modelKind", () => {
  test("reads the RPCs and the fields that callers set from the rows", () => {
    const kind = modelKind("webhook_endpoint", "alpha.v1", () => false);
    expect([kind.readRow?.method, kind.listRow?.method]).toEqual(["GetWebhookEndpoint", "ListWebhookEndpoints"]);
    expect(kind.mutations.map(({ row, deletes }) => [row.method, deletes])).toEqual([
      ["DeleteWebhookEndpoint", true],
      ["RotateWebhookSecret", false],
      ["UpdateWebhookEndpoint", false],
    ]);
    expect(kind.rules.callerFields.has("url")).toBe(true);
    expect(kind.rules.callerFields.has("resourceVersion")).toBe(false);
    expect(kind.rules.callerFields.has("requestId")).toBe(false);
  });

  test("takes a kind for one that only mutations change, all of which must be served, unless it is overridden", () => {
    const plain = modelKind("secret", "alpha.v1", () => false);
    expect([plain.rules.settled({}), plain.rules.forbiddenChange({}, {}), plain.rules.mutationOf({}, {})]).toEqual([
      true,
      undefined,
      undefined,
    ]);
    expect(plain.mutations.every(({ mustServe }) => mustServe({}))).toBe(true);
    const special = modelKind("secret", "alpha.v1", () => false, {
      settled: () => false,
      ownList: true,
      mutations: { [Change.ROTATES]: { mustServe: () => false, mayRefuse: () => true } },
    });
    expect([special.rules.settled({}), special.ownList, plain.ownList]).toEqual([false, true, false]);
    expect(special.mutations.map(({ row, mustServe, mayRefuse }) => [row.method, mustServe({}), !mayRefuse])).toEqual([
      ["DeleteSecret", true, true],
      ["RotateSecret", false, false],
    ]);
  });
});

test("rows that mutate a kind without expecting its version are not among the conditional ones", () => {
  expect(conditionalRows("job", "alpha.v1").every(({ expectedVersion }) => expectedVersion !== undefined)).toBe(true);
  expect(conditionalRows("secret", "alpha.v1").map(({ method }) => method)).toEqual(["DeleteSecret", "RotateSecret"]);
});
