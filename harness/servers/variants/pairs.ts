import { combine, touches } from "./combine.ts";
import type { Variant } from "./variant.ts";

/** What one server can do in only one way: variants that clash with each other, the reference's own way left out. */
export type Knob = readonly Variant[];

/**
 * The knobs that variants turn: those that touch the same choice or part are alternatives of one knob, directly or by
 * way of another. Hooks on the wire do not clash, as one works on what the other made.
 */
export function knobsOf(variants: readonly Variant[]): readonly Knob[] {
  const knobs: { readonly members: Variant[]; readonly touched: Set<string> }[] = [];
  for (const variant of variants) {
    const touched = touches(variant).filter((one) => !hooks.has(one));
    const related = knobs.filter((knob) => touched.some((one) => knob.touched.has(one)));
    for (const one of related) knobs.splice(knobs.indexOf(one), 1);
    knobs.push({
      members: [...related.flatMap(({ members }) => members), variant],
      touched: new Set([...related.flatMap((knob) => [...knob.touched]), ...touched]),
    });
  }
  return knobs.map(({ members }) => members);
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
function isCombinable({ of, permits, target, alone }: Variant): boolean {
  return of === undefined && permits === undefined && target === undefined && alone !== true;
}

/** Greedy tries per server: more make fewer servers. */
const tries = 12;

/**
 * Servers on which every two alternatives of any two knobs meet, the reference's own way counting as one of each. The
 * same variants give the same servers.
 */
export function coverPairs(variants: readonly Variant[]): readonly Variant[] {
  const packages = [...new Set(variants.map((variant) => variant.package))];
  return packages.flatMap((name) => {
    const knobs = knobsOf(variants.filter((variant) => variant.package === name && isCombinable(variant)));
    const rows = coverKnobs(knobs.map((knob) => knob.length + 1));
    return rows.flatMap((levels, row) => {
      const members = knobs.flatMap((knob, index) => knob[(levels[index] ?? 0) - 1] ?? []);
      // Where every knob stands as the reference has it, there is nothing to combine.
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

/** Rows of levels, `0` to below the knob's size, so that every two levels of any two knobs stand in some row. */
export function coverKnobs(sizes: readonly number[]): readonly (readonly number[])[] {
  const key = (knob: number, level: number, other: number, otherLevel: number) =>
    knob < other ? `${knob}.${level} ${other}.${otherLevel}` : `${other}.${otherLevel} ${knob}.${level}`;
  const open = new Set<string>();
  for (const [knob, size] of sizes.entries()) {
    for (let other = knob + 1; other < sizes.length; other += 1) {
      for (let level = 0; level < size; level += 1) {
        for (let otherLevel = 0; otherLevel < (sizes[other] ?? 0); otherLevel += 1) {
          open.add(key(knob, level, other, otherLevel));
        }
      }
    }
  }
  const gained = (row: readonly (number | undefined)[], knob: number, level: number) =>
    row.reduce<number>(
      (sum, otherLevel, other) =>
        sum + (otherLevel !== undefined && other !== knob && open.has(key(knob, level, other, otherLevel)) ? 1 : 0),
      0,
    );
  const build = (attempt: number) => {
    const row: (number | undefined)[] = sizes.map(() => undefined);
    const order = rotated(
      sizes.map((_, knob) => knob),
      attempt * 7,
    );
    // A pair that is still open begins the row, so that each row closes one at least.
    const left = [...open];
    const first = left[Math.floor((attempt * left.length) / tries)] ?? "";
    for (const place of first.split(" ")) {
      const [knob = 0, level = 0] = place.split(".").map(Number);
      row[knob] = level;
    }
    for (const knob of order) {
      if (row[knob] !== undefined) continue;
      const levels = rotated(
        Array.from({ length: sizes[knob] ?? 0 }, (_, level) => level),
        attempt,
      );
      const gains = levels.map((level) => gained(row, knob, level));
      row[knob] = levels[gains.indexOf(Math.max(...gains))] ?? 0;
    }
    return row as number[];
  };
  const closedBy = (row: readonly number[]) =>
    row.flatMap((level, knob) =>
      row.slice(knob + 1).map((otherLevel, step) => key(knob, level, knob + 1 + step, otherLevel)),
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
