import { expect, test } from "vitest";
import { rpcs } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import type { RunRequest } from "../case/order.ts";
import { instancesNamed, isInvariant } from "../case/plan.ts";
import { checkTarget } from "../target/load.ts";
import { createOrder, planOrder } from "./order.ts";

const cases = await loadCases();
const target = checkTarget({ alpha: { baseUrl: "http://127.0.0.1:1" } }, "a test");
const ask = (selection: RunRequest["selection"]) => {
  const request = { target, seed: 4, runs: 20, ...(selection === undefined ? {} : { selection }) };
  return createOrder(request, cases);
};

test("plans every case on every RPC of the target's packages, once", () => {
  const order = ask(undefined);
  expect(new Set(order.rpcs).size).toBe(rpcs.filter((row) => row.package === "alpha.v1").length);
  expect(new Set(order.planned.map(({ id, rpc }) => `${id} ${rpc}`)).size).toBe(order.planned.length);
  expect(order.planned.every(({ rpc }) => rpc.startsWith("alpha.v1."))).toBe(true);
  expect(order).toMatchObject({ limits: {}, strict: false, command: "hallmark run", record: true });
});

test("is plain data, which crosses to another thread as it is", () => {
  const order = ask({ only: ["wire/*"], services: ["CatalogService"] });
  expect(structuredClone(order)).toEqual(order);
  expect(instancesNamed(order.planned, cases).map(({ row }) => row.service)).toEqual(
    Array(order.planned.length).fill("CatalogService"),
  );
});

test("a shard takes its part of the cases, every invariant, and says what the whole is", () => {
  const all = ask(undefined);
  const shards = [1, 2, 3].map((index) => ask({ only: [], services: [], shard: { index, count: 3 } }));
  for (const { whole, rpcs } of shards) {
    expect(whole).toMatchObject({ planned: all.planned.length });
    expect(rpcs).toEqual(all.rpcs);
  }
  const own = shards.map(({ planned }) => instancesNamed(planned, cases).filter((one) => !isInvariant(one)).length);
  const runnable = instancesNamed(all.planned, cases).filter((one) => !isInvariant(one)).length;
  expect(own.reduce((sum, some) => sum + some, 0)).toBe(runnable);
  expect(new Set(shards.map(({ whole }) => whole?.planHash)).size).toBe(1);
});

test("refuses a selection that leaves nothing, and filters that match nothing", () => {
  const asking = (only: string, service: string) => () => ask({ only: [only], services: [service] });
  expect(asking("idempotency/*", "CatalogService")).toThrow(/^The filters leave no case to run/);
  expect(asking("nothing/*", "CatalogService")).toThrow(/^--only nothing\/\* matches no case/);
  expect(asking("*", "Nothing")).toThrow(/^--service Nothing is no service/);
});

test("a part of a proof may be empty", () => {
  expect(planOrder({ target, seed: 1, runs: 1 }, cases, () => false)).toMatchObject({ planned: [] });
});
