import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defineRule } from "../case/case.ts";
import type { CaseContext } from "../case/context.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({ "alpha.v1": {} });
});
afterAll(() => reference.close());

/** Runs a case of histories, and returns the values drawn, the names made for them, and what it came to. */
async function histories(budgetMs: number | undefined, breach: (drawn: number) => boolean) {
  const drawn: number[] = [];
  const names: string[] = [];
  const one = defineRule({
    id: "lifecycle/a-history",
    says: "a history",
    clauses: ["*.endpoints.served"],
    rows: (row) => row.name === "alpha.v1.CatalogService/ListMiniApps",
    async run({ row, setup, call, histories }: CaseContext) {
      const { request } = await setup.listed(row);
      const check = async (value: number, { judge, random }: CaseContext) => {
        drawn.push(value);
        names.push(random.token(8));
        const reply = await call(row, request);
        judge(reply).isServed();
        judge(reply).satisfies(!breach(drawn.length), "no breach", "a breach");
      };
      await histories(fc.nat(), check, 3);
    },
  });
  const target = checkTarget(reference.file, "the reference");
  const order = createOrder({ target, seed: 4, depth: "deep", ...(budgetMs === undefined ? {} : { budgetMs }) }, [one]);
  const { results } = await runAll(order, [one]);
  return { drawn, names, result: results[0] };
}

test("without a budget histories are as many as there are runs", async () => {
  const { drawn, result } = await histories(undefined, () => false);
  expect(result).toMatchObject({ outcome: "held" });
  expect(drawn).toHaveLength(3);
});

test("with one they go on for that long, each round on other values, from sources of their own", async () => {
  const { drawn, names, result } = await histories(1000, () => false);
  expect(result).toMatchObject({ outcome: "held" });
  expect(result?.replay).toMatch(/ --depth deep --budget 1s /);
  expect(result?.durationMs).toBeGreaterThanOrEqual(900);
  expect(drawn.length).toBeGreaterThan(6);
  expect(drawn.length % 3).toBe(0);
  expect(new Set(drawn).size).toBeGreaterThan(drawn.length / 2);
  expect(new Set(names).size).toBe(names.length);
  // By the seed alone, so that a replay comes to the same.
  const again = await histories(1000, () => false);
  const both = Math.min(drawn.length, again.drawn.length);
  expect(again.drawn.slice(0, both).toSorted()).toEqual(drawn.slice(0, both).toSorted());
});

test("what is found ends them at once", async () => {
  const { drawn, result } = await histories(60_000, () => true);
  expect(result).toMatchObject({ outcome: "violated" });
  expect(drawn.length).toBeLessThan(100);
});
