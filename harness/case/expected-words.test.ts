import { expect, test } from "vitest";
import { asShownBy, changedNothing, isOfNoChange, isShownBySeveral, likeWhole, mostReads } from "./expected-words.ts";

test("what is expected of calls that change nothing is known by its words", () => {
  const { call, calls, elsewhere, asItWas } = changedNothing;
  const said = [
    call,
    calls,
    elsewhere,
    asItWas(': {"name":"a"}'),
    asItWas(" before what was refused"),
    likeWhole('"é"'),
  ];
  expect(said.filter((one) => !isOfNoChange(one))).toEqual([]);
  expect(isOfNoChange('"a", as GetSecret showed')).toBe(false);
});

test("what several replies showed is told from what one showed", () => {
  expect(isShownBySeveral(asShownBy('"a"', ["GetSecret", "ListSecrets"]))).toBe(true);
  expect(isShownBySeveral(asShownBy('"a"', [mostReads(40)]))).toBe(true);
  expect(isShownBySeveral(asShownBy('"a"', ["GetSecret"]))).toBe(false);
});
