import { expect, test } from "vitest";
import { clauses } from "../../proto/clauses/index.ts";
import { loadCases } from "../../suites/cases.ts";
import { planInstances } from "./plan.ts";
import { hashRequirements, isRequired, judgedBy, levelUnder, missingOf, requirementsOf } from "./requirements.ts";

const cases = await loadCases();
const today = requirementsOf(cases);
const must = clauses.find(({ level }) => level === "must")?.id ?? "";
const should = clauses.find(({ level }) => level === "should")?.id ?? "";

/** Today's set with clauses at other levels, or without them. */
function setWith(levels: Readonly<Record<string, "must" | "should" | undefined>>) {
  const changed = Object.entries({ ...today.clauses, ...levels }).flatMap(([id, level]) =>
    level === undefined ? [] : [[id, level] as const],
  );
  return { ...today, clauses: Object.fromEntries(changed) };
}

test("a set has every case with its RPCs, and every clause with its level", () => {
  const instances = planInstances(cases, ["alpha.v1", "beta.v1"]);
  expect(Object.values(today.cases).flat()).toHaveLength(instances.length);
  expect(Object.keys(today.clauses)).toHaveLength(clauses.length);
});

test("its hash is of what it demands, in whatever order", () => {
  const hash = hashRequirements(today);
  const reversed = Object.fromEntries(Object.entries(today.cases).reverse());
  expect(hashRequirements({ version: "0.1", ...today, cases: reversed })).toBe(hash);
  expect(hashRequirements(setWith({ [must]: "should" }))).not.toBe(hash);
  expect(hashRequirements({ ...today, cases: {} })).not.toBe(hash);
});

test("a clause is judged no more strictly than the set has it, and not at all for what the set does not know", () => {
  const levels = (set: typeof today) => judgedBy(set).levels;
  expect(levels(today)).toEqual({});
  expect(levels(setWith({ [must]: "should" }))).toEqual({ [must]: "should" });
  expect(levels(setWith({ [must]: undefined }))).toEqual({ [must]: "should" });
  // Milder since: a mistake was put right.
  expect(levels(setWith({ [should]: "must" }))).toEqual({});
  expect(levelUnder(judgedBy(setWith({ [must]: "should" })), must, "must")).toBe("should");
  expect(levelUnder(undefined, must, "must")).toBe("must");
});

test("what the set does not have is not demanded", () => {
  const [first = expect.fail("nothing is planned")] = planInstances(cases, ["alpha.v1"]);
  const { id } = first.case;
  expect(isRequired(today)(first)).toBe(true);
  expect(isRequired({ ...today, cases: { ...today.cases, [id]: [] } })(first)).toBe(false);
  const { [id]: _gone, ...others } = today.cases;
  expect(isRequired({ ...today, cases: others })(first)).toBe(false);
});

test("what is gone since is told, and what came since is not", () => {
  const [id = "", rpcs = []] = Object.entries(today.cases)[0] ?? [];
  const { [id]: _gone, ...others } = today.cases;
  expect(missingOf(today, today)).toEqual([]);
  expect(missingOf(today, { ...today, cases: others })).toEqual([`case ${id}`]);
  expect(missingOf({ ...today, cases: others }, today)).toEqual([]);
  expect(missingOf(today, { ...today, cases: { ...today.cases, [id]: rpcs.slice(1) } })).toEqual([
    `case ${id} on ${rpcs[0]}`,
  ]);
  expect(missingOf(today, setWith({ [must]: undefined }))).toEqual([`clause ${must}`]);
});
