import { expect, test } from "vitest";
import { loadVariants } from "../harness/servers/variants/index.ts";
import { type Clause, clauses, gates } from "../proto/clauses/index.ts";
import { innocence, innocenceOf } from "../proto/clauses/innocence.ts";

const variants = new Set((await loadVariants()).map(({ id }) => id));
const failing = clauses.filter(({ level, unobservable }) => gates(level, false) && unobservable === undefined);
const ids = (some: readonly Clause[]) => some.map(({ id }) => id);

test("every clause that fails a target says what a conforming server could still do", () => {
  expect(ids(failing.filter((clause) => innocenceOf(clause) === undefined))).toEqual([]);
});

test("in each package a clause binds a conforming variant does so", () => {
  const unproved = failing.flatMap((clause) => {
    const row = innocenceOf(clause);
    if (row === undefined) return [];
    return clause.packages
      .filter((name) => !row.variants.some((variant) => variants.has(`${name.slice(0, -".v1".length)}.${variant}`)))
      .map((name) => `${clause.id} in ${name}: ${row.variants.join(", ")}`);
  });
  expect(unproved).toEqual([]);
});

test("every variant named is there in a package", () => {
  const strange = innocence.flatMap((row) =>
    row.variants
      .filter((name) => !variants.has(`alpha.${name}`) && !variants.has(`beta.${name}`))
      .map((name) => `${row.clause}: ${name}`),
  );
  expect(strange).toEqual([]);
});

test("no clause is spoken for twice, and none that fails nobody", () => {
  const named = innocence.map(({ clause }) => clause);
  expect(named.filter((clause, index) => named.indexOf(clause) !== index)).toEqual([]);
  const used = new Set(failing.map((clause) => innocenceOf(clause)));
  expect(innocence.filter((row) => !used.has(row)).map(({ clause }) => clause)).toEqual([]);
});
