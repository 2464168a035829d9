import fc from "fast-check";
import { expect, test } from "vitest";
import { checkProperty } from "../generate/window.ts";
import { plans } from "./plan.ts";
import { type Script, scripts } from "./script.ts";
import { boundShrinking } from "./shrinking.ts";

const drawn = fc.sample(scripts(8), { numRuns: 300, seed: 2 });
const isStale = (script: Script) => script.steps.some((step) => step.do === "change" && step.aim === "stale");

test("the same seed gives the same scripts", () => {
  expect(fc.sample(scripts(8), { numRuns: 300, seed: 2 })).toEqual(drawn);
});

test("scripts have up to eight steps, of every sort", () => {
  for (const { steps } of drawn) {
    expect(steps.length).toBeGreaterThanOrEqual(1);
    expect(steps.length).toBeLessThanOrEqual(8);
  }
  const sorts = new Set(drawn.flatMap(({ steps }) => steps.map((step) => step.do)));
  expect(sorts).toEqual(new Set(["make", "read", "list", "change", "again"]));
  expect(drawn.filter(isStale).length).toBeGreaterThan(100);
});

test("a sort of weight 0 does not come", () => {
  const without = fc.sample(scripts(8, { list: 0 }), { numRuns: 100, seed: 3 });
  expect(without.some(({ steps }) => steps.some((step) => step.do === "list"))).toBe(false);
});

test("a script shrinks to the one step a failure needs", async () => {
  const check = async (script: Script) => {
    if (isStale(script)) throw new Error("stale");
  };
  const verdict = await checkProperty(scripts(8), check, { seed: 5, runs: 50 });
  expect(verdict).toMatchObject({ failed: true, confirmed: true });
  if (!verdict.failed) return;
  expect(verdict.counterexample.steps.length).toBe(1);
  expect(fc.stringify(verdict.counterexample)).toBe("the script [deed 0 on #0, stale, draw 0]");
});

test("bounded shrinking ends with something that fails, and is confirmed", async () => {
  let tried = 0;
  const check = boundShrinking(async (script: Script) => {
    tried += 1;
    return !isStale(script);
  });
  const failing = async (script: Script) => {
    const before = tried;
    await check(script, undefined);
    if (tried > before && isStale(script)) throw new Error("stale");
  };
  const verdict = await checkProperty(scripts(8), failing, { seed: 5, runs: 50 });
  expect(verdict).toMatchObject({ failed: true, confirmed: true });
  expect(tried).toBeLessThan(50 + 16 + 70);
});

test("plans have three clients or more, each with three actions or more", () => {
  for (const { clients } of fc.sample(plans(4, 5), { numRuns: 100, seed: 1 })) {
    expect(clients.length).toBeGreaterThanOrEqual(3);
    expect(clients.every((actions) => actions.length >= 3 && actions.length <= 5)).toBe(true);
  }
});
