import fc from "fast-check";
import { expect, test } from "vitest";
import { TrafficPlan, trafficPlans } from "./traffic-plan.ts";

test("plans have three clients or more, each with three actions or more", () => {
  for (const { clients } of fc.sample(trafficPlans(4, 5), { numRuns: 100, seed: 1 })) {
    expect(clients.length).toBeGreaterThanOrEqual(3);
    expect(clients.every((actions) => actions.length >= 3 && actions.length <= 5)).toBe(true);
  }
});

test("one plan in three deletes, one mutation in twelve hangs up, and every action occurs", () => {
  const plans = fc.sample(trafficPlans(4, 5), { numRuns: 1000, seed: 1 });
  const actions = plans.flatMap(({ clients }) => clients.flat());
  const mutations = actions.flatMap((action) => (action.type === "mutate" ? [action] : []));
  expect(new Set(actions.map(({ type }) => type))).toEqual(new Set(["skip", "read", "mutate"]));
  expect(plans.filter((plan) => plan.deletes).length / plans.length).toBeCloseTo(1 / 3, 1);
  expect(mutations.filter(({ hangUp }) => hangUp).length / mutations.length).toBeCloseTo(1 / 12, 1);
});

test("a plan is shown in brief, without what is skipped", () => {
  const mutate = { type: "mutate", mutation: 1, variation: 2, hangUp: true } as const;
  const plan = new TrafficPlan([[{ type: "skip" }], [{ type: "read" }, mutate]], true);
  expect(fc.stringify(plan)).toBe("clients [], [read; mutation 1, variation 2, hung up], then a deletion");
});
