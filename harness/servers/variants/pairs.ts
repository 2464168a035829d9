import { combine, touches } from "./combine.ts";
import type { Variant } from "./variant.ts";

/** What one server can do in only one way at a time: variants that clash with each other, the reference's own way left out. */
export type Factor = readonly Variant[];

/**
 * The factors of variants: those that touch the same choice or part are levels of one factor, directly or by
 * way of another. Hooks on the wire do not clash, as one works on what the other made.
 */
export function factorsOf(variants: readonly Variant[]): readonly Factor[] {
  const factors: { readonly members: Variant[]; readonly touched: Set<string> }[] = [];
  for (const variant of variants) {
    const touched = touches(variant).filter((one) => !hooks.has(one));
    const related = factors.filter((factor) => touched.some((one) => factor.touched.has(one)));
    for (const one of related) factors.splice(factors.indexOf(one), 1);
    factors.push({
      members: [...related.flatMap(({ members }) => members), variant],
      touched: new Set([...related.flatMap((factor) => [...factor.touched]), ...touched]),
    });
  }
  return factors.map(({ members }) => members);
}

/** What works on the wire, one after the other. */
export const hooks: ReadonlySet<string> = new Set([
  "raw",
  "requestBody",
  "requestBytes",
  "request",
  "reply",
  "error",
  "http",
  "frames",
]);

/** Variants that combine others, that excuse cases, that others would hide, or whose target file speaks of what they do, stay by themselves. */
export function isCombinable({ of, permits, target, alone }: Variant): boolean {
  return of === undefined && permits === undefined && target === undefined && alone !== true;
}

/** Greedy tries per server: more make fewer servers. */
const tries = 12;

/**
 * Servers on which every two levels of any two factors meet, the reference's own way counting as one of each. The
 * same variants give the same servers.
 */
export function coverPairs(variants: readonly Variant[]): readonly Variant[] {
  const packages = [...new Set(variants.map((variant) => variant.package))];
  return packages.flatMap((name) => {
    const factors = factorsOf(variants.filter((variant) => variant.package === name && isCombinable(variant)));
    const rows = coverFactors(factors.map((factor) => factor.length + 1));
    return rows.flatMap((levels, row) => {
      const members = factors.flatMap((factor, index) => factor[(levels[index] ?? 0) - 1] ?? []);
      // Where every factor stands as the reference has it, there is nothing to combine.
      if (members.length === 0) return [];
      const ids = members.map(({ id }) => id).join(", ");
      return [combine<Variant>(`${name} pairs ${row + 1}`, `all of ${ids}`, members)];
    });
  });
}

function rotated<T>(values: readonly T[], by: number): readonly T[] {
  const start = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}

/** Rows of levels, `0` to below the factor's size, so that every two levels of any two factors stand in some row. */
export function coverFactors(sizes: readonly number[]): readonly (readonly number[])[] {
  const key = (factor: number, level: number, other: number, otherLevel: number) =>
    factor < other ? `${factor}.${level} ${other}.${otherLevel}` : `${other}.${otherLevel} ${factor}.${level}`;
  const open = new Set<string>();
  for (const [factor, size] of sizes.entries()) {
    for (let other = factor + 1; other < sizes.length; other += 1) {
      for (let level = 0; level < size; level += 1) {
        for (let otherLevel = 0; otherLevel < (sizes[other] ?? 0); otherLevel += 1) {
          open.add(key(factor, level, other, otherLevel));
        }
      }
    }
  }
  const gained = (row: readonly (number | undefined)[], factor: number, level: number) =>
    row.reduce<number>(
      (sum, otherLevel, other) =>
        sum + (otherLevel !== undefined && other !== factor && open.has(key(factor, level, other, otherLevel)) ? 1 : 0),
      0,
    );
  const build = (attempt: number) => {
    const row: (number | undefined)[] = sizes.map(() => undefined);
    const order = rotated(
      sizes.map((_, factor) => factor),
      attempt * 7,
    );
    // A pair that is still open begins the row, so that each row closes one at least.
    const left = [...open];
    const first = left[Math.floor((attempt * left.length) / tries)] ?? "";
    for (const place of first.split(" ")) {
      const [factor = 0, level = 0] = place.split(".").map(Number);
      row[factor] = level;
    }
    for (const factor of order) {
      if (row[factor] !== undefined) continue;
      const levels = rotated(
        Array.from({ length: sizes[factor] ?? 0 }, (_, level) => level),
        attempt,
      );
      const gains = levels.map((level) => gained(row, factor, level));
      row[factor] = levels[gains.indexOf(Math.max(...gains))] ?? 0;
    }
    return row as number[];
  };
  const closedBy = (row: readonly number[]) =>
    row.flatMap((level, factor) =>
      row.slice(factor + 1).map((otherLevel, step) => key(factor, level, factor + 1 + step, otherLevel)),
    );
  const rows: number[][] = [];
  while (open.size > 0) {
    const built = Array.from({ length: tries }, (_, attempt) => build(attempt));
    const gains = built.map((row) => closedBy(row).filter((pair) => open.has(pair)).length);
    const best = built[gains.indexOf(Math.max(...gains))] ?? [];
    for (const pair of closedBy(best)) open.delete(pair);
    rows.push(best);
  }
  return rows;
}
