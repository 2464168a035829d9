import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { Unproven } from "../case/unproven.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { runAll } from "./drive.ts";
import { explained } from "./misshapen.ts";
import { createOrder } from "./order.ts";

const getSecret = "alpha.v1.SecretService/GetSecret";
const answered = (body: string) => ({ ...exchangeOf({ body }), rpc: getSecret });

test("what a reply of another form brings about leaves a case unproven, and says which and where", () => {
  const error = explained(new TypeError("x is no function"), [
    answered('{"secret":{"resourceVersion":7}}'),
    answered('{"secret":{}}'),
  ]);
  expect(error).toBeInstanceOf(Unproven);
  expect((error as Error).message).toMatch(/^could not go on: the reply of .*GetSecret.*; x is no function$/);
});

test("where every reply has its form, the defect is ours; what explains itself stays as it is", () => {
  const error = new TypeError("x");
  expect(explained(error, [answered('{"secret":{}}')])).toBe(error);
  const unproven = new Unproven("needs something");
  expect(explained(unproven, [answered("[")])).toBe(unproven);
});

/** JSON with each member of an object, however deep, put through `change`. */
function walk(json: JsonValue, change: (key: string, value: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map((one) => walk(one, change));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, walk(change(key, value), change)]));
}

const cases = await loadCases();

test.each([
  ["versions of letters", (key: string, value: JsonValue) => (key === "resourceVersion" ? "abc" : value)],
  ["versions that are objects", (key: string, value: JsonValue) => (key === "resourceVersion" ? { a: [] } : value)],
  ["texts where objects belong", (key: string, value: JsonValue) => (key === "id" ? "an id" : value)],
  ["objects where texts belong", (key: string, value: JsonValue) => (key === "name" ? { a: 1 } : value)],
  ["a list of nothing", (key: string, value: JsonValue) => (key === "secrets" ? [null, 1, "a", []] : value)],
  ["a page that is a list", (key: string, value: JsonValue) => (key === "page" ? [[]] : value)],
] as const)("no case ends in an error of ours on replies with %s", async (_what, change) => {
  const server = await startEmbedded({
    "alpha.v1": { decoration: { reply: (json) => walk(json, change) as JsonObject } },
  });
  try {
    const target = checkTarget({ ...server.file, patience: { settleMs: 500, caseMs: 5000 } }, "the reference");
    const selection = { only: [], services: ["SecretService"] };
    const { results } = await runAll(createOrder({ target, seed: 4, runs: 3, selection }, cases), cases);
    expect(results.filter(({ outcome }) => outcome === "error").map(({ id, reason }) => `${id}: ${reason}`)).toEqual(
      [],
    );
    expect(results.some(({ outcome }) => outcome === "violated")).toBe(true);
  } finally {
    await server.close();
  }
});
