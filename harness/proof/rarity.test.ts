import { expect, test } from "vitest";
import type { Fault } from "../servers/faults/fault.ts";
import type { Call } from "../servers/reference/core/context.ts";
import { isByCall, rarely, rarities } from "./rarity.ts";

const rpc = "alpha.v1.SecretService/ListSecrets";
const fault = {
  ...{ id: "f", package: "alpha.v1", rpc },
  decoration: { reply: (json: object) => ({ ...json, broken: true }) },
} as unknown as Fault;
const rarity = (id: string) => {
  const found = rarities.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};
const call = (more: Partial<Call> = {}) => ({ rpc, request: {}, headers: {}, origin: "", ...more }) as Call;

test("one call of ten shows the fault, counted at its own RPC", () => {
  const { reply } = rarely(fault, rarity("1-in-10"));
  const shown = Array.from({ length: 40 }, () => {
    reply?.({}, call({ rpc: "alpha.v1.SecretService/GetSecret" }));
    return reply?.({}, call());
  });
  expect(shown.flatMap((json, place) => (json !== undefined && "broken" in json ? [place] : []))).toEqual([
    9, 19, 29, 39,
  ]);
});

test("a page that another follows shows it, the last does not", () => {
  const { reply } = rarely(fault, rarity("page-border"));
  expect(reply?.({ page: { nextCursor: "c" } }, call())).toHaveProperty("broken");
  expect(reply?.({ page: {} }, call())).not.toHaveProperty("broken");
});

test("the second tenant sees it, the first does not", () => {
  const { reply } = rarely(fault, rarity("second-tenant"));
  const as = (workspaceId: string) => call({ principal: { workspaceId } as Call["principal"] & object });
  expect(reply?.({}, as("a"))).not.toHaveProperty("broken");
  expect(reply?.({}, as("b"))).toHaveProperty("broken");
  expect(reply?.({}, as("a"))).not.toHaveProperty("broken");
});

test("what is not done call by call cannot be done seldom", () => {
  expect(isByCall(fault)).toBe(true);
  expect(isByCall({ ...fault, decoration: { choices: {} } } as Fault)).toBe(false);
});
