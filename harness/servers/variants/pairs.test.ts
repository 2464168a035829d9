import { expect, test } from "vitest";
import { touches } from "./combine.ts";
import { loadVariants } from "./index.ts";
import { coverFactors, coverPairs, factorsOf, hooks } from "./pairs.ts";

/** Every two levels of any two factors that stand in no row together. */
function uncovered(sizes: readonly number[], rows: readonly (readonly number[])[]): readonly string[] {
  return sizes.flatMap((size, factor) =>
    sizes.slice(factor + 1).flatMap((otherSize, step) =>
      Array.from({ length: size * otherSize }, (_, pair) => [Math.trunc(pair / otherSize), pair % otherSize] as const)
        .filter(([level, other]) => !rows.some((row) => row[factor] === level && row[factor + 1 + step] === other))
        .map((pair) => `${factor} and ${factor + 1 + step}: ${pair.join(", ")}`),
    ),
  );
}

test.each([[[2, 2]], [[2, 2, 2, 2, 2]], [[4, 3, 2]], [[5, 2, 3, 2, 4, 2]]])(
  "rows over factors of %j hold every pair",
  (sizes) => {
    const rows = coverFactors(sizes);
    expect(uncovered(sizes, rows)).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(sizes.reduce((product, size) => product * size, 1));
    expect(rows.every((row) => row.every((level, factor) => level >= 0 && level < (sizes[factor] ?? 0)))).toBe(true);
  },
);

const variants = await loadVariants();

test("factors share no choice and no part", () => {
  const of = variants.filter((variant) => variant.package === "alpha.v1" && variant.of === undefined);
  const turned = factorsOf(of).map((factor) => new Set(factor.flatMap(touches).filter((one) => !hooks.has(one))));
  const all = turned.flatMap((touched) => [...touched]);
  expect(new Set(all).size).toBe(all.length);
});

test("servers serve no two variants that clash, and every variant that can be combined", () => {
  const servers = coverPairs(variants);
  const served = new Set(servers.flatMap(({ of = [] }) => of));
  const combinable = variants.filter(
    ({ of, permits, target, alone }) => !of && permits === undefined && target === undefined && alone !== true,
  );
  expect(combinable.filter(({ id }) => !served.has(id))).toEqual([]);
});
