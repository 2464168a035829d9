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
  const open = createOpenPairs(sizes);
  const build = (attempt: number) => {
    const row: (number | undefined)[] = sizes.map(() => undefined);
    const order = rotated(
      sizes.map((_, factor) => factor),
      attempt * 7,
    );
    // A pair that is still open begins the row, so that each row closes one at least.
    for (const [factor, level] of open.at(attempt / tries)) row[factor] = level;
    for (const factor of order) {
      if (row[factor] !== undefined) continue;
      const levels = rotated(
        Array.from({ length: sizes[factor] ?? 0 }, (_, level) => level),
        attempt,
      );
      const gains = levels.map((level) => open.gainedBy(row, factor, level));
      row[factor] = levels[gains.indexOf(Math.max(...gains))] ?? 0;
    }
    return row as number[];
  };
  const rows: number[][] = [];
  while (open.count() > 0) {
    const built = Array.from({ length: tries }, (_, attempt) => build(attempt));
    const gains = built.map((row) =>
      row.reduce((sum, level, factor) => sum + open.gainedBy(row.slice(0, factor), factor, level), 0),
    );
    const best = built[gains.indexOf(Math.max(...gains))] ?? [];
    open.close(best);
    rows.push(best);
  }
  return rows;
}

/** Factor and level. */
type Place = readonly [factor: number, level: number];

/** The pairs of levels of two factors that stand in no row yet: one byte for each two levels, in either order, as they are asked for all the time. */
function createOpenPairs(sizes: readonly number[]) {
  const places = sizes.flatMap((size, factor) => Array.from({ length: size }, (_, level): Place => [factor, level]));
  const first = sizes.map((_, factor) => sizes.slice(0, factor).reduce((sum, size) => sum + size, 0));
  const isOpen = new Uint8Array(places.length ** 2);
  const pairOf = (factor: number, level: number, other: number, otherLevel: number) =>
    ((first[factor] ?? 0) + level) * places.length + (first[other] ?? 0) + otherLevel;
  let left = places.flatMap(([factor], one) =>
    places.flatMap(([other], another) => (factor < other ? [one * places.length + another] : [])),
  );
  const mark = (pair: number, value: 0 | 1) => {
    isOpen[pair] = value;
    isOpen[(pair % places.length) * places.length + Math.floor(pair / places.length)] = value;
  };
  for (const pair of left) mark(pair, 1);
  return {
    count: () => left.length,
    /** The two places of an open pair, so far along what is left: 0 to below 1. */
    at(share: number): readonly Place[] {
      const pair = left[Math.floor(share * left.length)] ?? 0;
      return [Math.floor(pair / places.length), pair % places.length].flatMap((place) => [places[place] ?? [0, 0]]);
    },
    /** How many open pairs a level closes with those that a row has already. */
    gainedBy(row: readonly (number | undefined)[], factor: number, level: number): number {
      let sum = 0;
      for (let other = 0; other < row.length; other += 1) {
        const otherLevel = row[other];
        if (otherLevel === undefined || other === factor) continue;
        sum += isOpen[pairOf(factor, level, other, otherLevel)] ?? 0;
      }
      return sum;
    },
    close(row: readonly number[]) {
      for (const [factor, level] of row.entries()) {
        for (let other = factor + 1; other < row.length; other += 1) {
          mark(pairOf(factor, level, other, row[other] ?? 0), 0);
        }
      }
      left = left.filter((pair) => isOpen[pair] === 1);
    },
  };
}
