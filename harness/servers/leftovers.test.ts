import { expect, test } from "vitest";
import { compareLeftovers } from "./leftovers.ts";

const one = "01890a5d-ac96-774b-bcce-b302099a8057";
const other = "01890a5d-ac96-774b-bcce-b302099a8058";

test("the same things are the same, however they are worded", () => {
  expect(compareLeftovers([`secret ${one.toUpperCase()} of the workspace: refused`], [`secret ${one}`])).toEqual([]);
});

test.each([
  ["what is not listed", [], [`secret ${one}`], /^1 things are left behind and not listed: "secret 0189/],
  ["what is gone", [`secret ${one}`], [], /listed as left behind and are not/],
  ["another thing", [`secret ${one}`], [`secret ${other}`], /not listed/],
  ["what has no id", ["something a case made"], [], /name no id/],
] as const)("%s is said", (_, listed, left, sentence) => {
  expect(compareLeftovers(listed, left).join("\n")).toMatch(sentence);
});

test("what was never answered may be one thing of its kind, and no more", () => {
  const untold = 'a secret of name "x" that CreateSecret may have made, whose reply was lost (refused)';
  expect(compareLeftovers([untold], [])).toEqual([]);
  expect(compareLeftovers([untold], [`secret ${one}`])).toEqual([]);
  expect(compareLeftovers([untold], [`secret ${one}`, `secret ${other}`])).toHaveLength(1);
  expect(compareLeftovers([untold], [`job ${one}`])).toHaveLength(1);
});

test("what there was no time to look at is listed, there or gone", () => {
  const unseen = `session ${one} (no time was left to undo it)`;
  expect(compareLeftovers([unseen], [])).toEqual([]);
  expect(compareLeftovers([`session ${one} of the own tenant: no time was left to undo it`], [])).toEqual([]);
  expect(compareLeftovers([unseen], [`session ${one}`])).toEqual([]);
  expect(compareLeftovers([unseen], [`session ${other}`])).toHaveLength(1);
});

test("where it is told that what a job has made is not known, artifacts may be there without being named, and nothing else", () => {
  const unshown = `what job ${one} of the workspace has made: GetJob was refused`;
  expect(compareLeftovers([unshown], [])).toEqual([]);
  expect(compareLeftovers([unshown], [`artifact ${other}`])).toEqual([]);
  expect(compareLeftovers([unshown], [`secret ${other}`])).toHaveLength(1);
});

test("a run is history, listed or not", () => {
  expect(compareLeftovers([`run ${one} (GetRun was refused)`], [])).toEqual([]);
});

test("of a target that keeps nothing, anything will do", () => {
  expect(compareLeftovers([`secret ${one}`, "something a case made"], undefined)).toEqual([]);
});
