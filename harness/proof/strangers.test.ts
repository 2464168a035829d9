import { expect, test } from "vitest";
import { touches } from "../servers/variants/combine.ts";
import { loadVariants } from "../servers/variants/index.ts";
import { hooks } from "../servers/variants/pairs.ts";
import { drawStrangers } from "./strangers.ts";

const variants = await loadVariants();
const known = new Map(variants.map((variant) => [variant.id, variant]));
const membersOf = (of: readonly string[] = []) => of.flatMap((id) => known.get(id) ?? []);

test("the same seed draws the same servers, another one others, of either package by turns", () => {
  const of = (seed: number) => drawStrangers(variants, 4, seed).map((server) => server.of);
  expect(of(1)).toEqual(of(1));
  expect(of(2)).not.toEqual(of(1));
  expect(drawStrangers(variants, 4, 1).map((server) => server.package)).toEqual([
    "alpha.v1",
    "beta.v1",
    "alpha.v1",
    "beta.v1",
  ]);
});

test("no server makes a choice in two ways, and each makes many", () => {
  for (const server of drawStrangers(variants, 20, 3)) {
    const touched = membersOf(server.of).flatMap((one) => touches(one).filter((name) => !hooks.has(name)));
    expect(new Set(touched).size).toBe(touched.length);
    expect(server.of?.length).toBeGreaterThan(20);
  }
});

test("every variant that can be combined is drawn before long", () => {
  const drawn = new Set(drawStrangers(variants, 800, 5).flatMap(({ of = [] }) => of));
  const missing = variants.filter(
    ({ id, of, permits, target, alone }) =>
      of === undefined && permits === undefined && target === undefined && alone !== true && !drawn.has(id),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});
