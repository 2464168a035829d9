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

test("smoke plans few cases of every RPC at one run per property, deep all of them at many", () => {
  const [smoke, standard, deep] = (["smoke", "standard", "deep"] as const).map((depth) =>
    createOrder({ target, seed: 4, depth }, cases),
  );
  expect([smoke?.runs, standard?.runs, deep?.runs]).toEqual([1, 20, 200]);
  expect(smoke?.rpcs).toEqual(standard?.rpcs);
  expect(smoke?.planned.length).toBeLessThan((standard?.planned.length ?? 0) / 2);
  expect(deep?.planned).toEqual(standard?.planned);
  expect(createOrder({ target, seed: 4 }, cases)).toEqual(standard);
});

test("is plain data, which crosses to another thread as it is", () => {
  const order = ask({ only: ["wire/*"], services: ["CatalogService"] });
  expect(structuredClone(order)).toEqual(order);
  expect(instancesNamed(order.planned, cases).map(({ row }) => row.service)).toEqual(
    Array(order.planned.length).fill("CatalogService"),
  );
});

test("an RPC after an @ narrows a case to it, however it is named", () => {
  const rpc = "alpha.v1.SecretService/GetSecret";
  const id = "version/reads-keep-the-version";
  for (const name of ["GetSecret", "SecretService/GetSecret", "*/GetSecret", rpc]) {
    expect(ask({ only: [`${id}@${name}`], services: [] }).planned).toEqual([{ id, rpc }]);
  }
  expect(() => ask({ only: [`${id}@GetSecrets`], services: [] })).toThrow(/^--only .*@GetSecrets matches no RPC/);
});

test("invariants alone come with the plain calls of their RPCs, in every shard's plan too", () => {
  const only = ["wire/messages-have-contract-form@GetSecret"];
  const { planned } = ask({ only, services: [] });
  const plain = ["auth/bad-credential-is-refused", "lifecycle/valid-call-is-served"];
  expect(planned.map(({ id }) => id).sort()).toEqual([...plain, "wire/messages-have-contract-form"]);
  expect(new Set(planned.map(({ rpc }) => rpc)).size).toBe(1);
  const shards = [1, 2].map((index) => ask({ only, services: [], shard: { index, count: 2 } }));
  expect(new Set(shards.map(({ whole }) => whole?.planHash)).size).toBe(1);
  expect(new Set(shards.flatMap((shard) => shard.planned.map(({ id }) => id)))).toEqual(
    new Set(planned.map(({ id }) => id)),
  );
  // Where a selected case calls the RPC, nothing is added.
  const own = ask({ only: [...only, "version/reads-keep-the-version@GetSecret"], services: [] });
  expect(own.planned).toHaveLength(2);
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
