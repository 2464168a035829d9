import { describe, expect, test } from "vitest";
import { bundle, combine, createCombiner } from "./combine.ts";
import { loadVariants } from "./index.ts";
import { defineAlphaVariant, defineBetaVariant, defineVariants } from "./variant.ts";

const variants = await loadVariants();
const hurried = defineAlphaVariant({
  id: "hurried",
  says: "lists one",
  open: [],
  decoration: { choices: { defaultPageSize: 1 } },
});

describe("variants of both packages", () => {
  test("have an id and open clauses of their package each", () => {
    const [alpha, beta] = defineVariants({
      id: "first",
      says: "lists the newest first",
      open: ["*.open.list-order", "TR-06"],
      decoration: { choices: { listOrder: "descending" } },
    });
    expect([alpha.id, alpha.package, alpha.open]).toEqual([
      "alpha.first",
      "alpha.v1",
      ["alpha.open.list-order", "TR-06"],
    ]);
    expect([beta.id, beta.package, beta.open]).toEqual(["beta.first", "beta.v1", ["beta.open.list-order", "TR-06"]]);
  });

  test("are refused where a clause is missing or not open", () => {
    const of = (id: string) => () => defineVariants({ id: "x", says: "x", open: [id], decoration: {} });
    expect(of("*.open.heartbeats")).toThrow("no clause");
    expect(of("*.records.echo")).toThrow("not open");
  });
});

describe("combinations", () => {
  test("hold what each member does, one hook after the other", () => {
    const hook = (word: string) =>
      defineAlphaVariant({
        id: word,
        says: word,
        open: [],
        decoration: { reply: (json) => ({ ...json, [word]: word }) },
      });
    const { decoration, of } = combine("both", "does both", [hook("one"), hook("two"), hurried]);
    expect(of).toEqual(["alpha.one", "alpha.two", "alpha.hurried"]);
    expect(decoration.choices).toEqual({ defaultPageSize: 1 });
    expect(decoration.reply?.({}, {} as never)).toEqual({ one: "one", two: "two" });
  });

  test("keep what any member leaves where nobody takes it away", () => {
    const keeping = { ...hurried, id: "alpha.keeping", decoration: {}, outOfReach: ["artifact"], holds: ["job"] };
    expect(combine("both", "does both", [hurried, keeping])).toMatchObject({
      outOfReach: ["artifact"],
      holds: ["job"],
    });
  });

  test("are refused where two make one choice, are of two packages, or are unknown", () => {
    const beta = defineBetaVariant({ id: "b", says: "b", open: [], decoration: {} });
    expect(() => combine("x", "x", [hurried, { ...hurried, id: "again" }])).toThrow("both decorations choose");
    expect(() => combine("x", "x", [hurried, beta])).toThrow("another package");
    expect(() => combine("x", "x", [])).toThrow("combines nothing");
    expect(() => createCombiner([hurried])("x", "x", "slow")).toThrow("no variant");
  });

  test("name their members without the package, and have it themselves", () => {
    const { id, of } = createCombiner([hurried])("x", "x", "hurried");
    expect([id, of]).toEqual(["alpha.x", ["alpha.hurried"]]);
  });
});

describe("bundles", () => {
  test("hold every variant, of one package each, and leave those with permits alone", () => {
    const bundles = bundle(variants, 14);
    const tried = new Set(bundles.flatMap(({ id, of = [] }) => [id, ...of]));
    expect(variants.filter(({ id }) => !tried.has(id))).toEqual([]);
    for (const { id, of, permits, package: packageName } of bundles) {
      if (permits !== undefined) expect(of).toBeUndefined();
      for (const member of of ?? []) {
        expect([id, variants.find((one) => one.id === member)?.package]).toEqual([id, packageName]);
      }
    }
  });
});
