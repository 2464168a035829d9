import { expect, test } from "vitest";
import { guessed, nearestOf } from "./nearest.ts";

const cases = ["version/not-current-is-refused", "version/reads-keep-the-version", "wire/ids"];

test.each([
  ["letters left out", "version/not-curent-is-refuse", "version/not-current-is-refused"],
  ["letters swapped", "wrie/ids", "wire/ids"],
  ["words in another order", "not-current-version-is-refused", "version/not-current-is-refused"],
  ["a part of it", "not-current", "version/not-current-is-refused"],
  ["another case", "WIRE/IDS", "wire/ids"],
])("%s: the name that was meant comes first", (_what, text, meant) => {
  expect(nearestOf(text, [cases])[0]).toBe(meant);
});

test("what is nothing like a name has none near, and of equals the earlier kind comes first", () => {
  expect(nearestOf("zzzz", [cases])).toEqual([]);
  expect(nearestOf("a/GetSecret", [["b/GetSecret"], ["c/GetSecret"]])).toEqual(["b/GetSecret", "c/GetSecret"]);
  expect(guessed("zzzz", [cases], "see the list")).toBe("see the list");
  expect(guessed("wire/id", [cases], "see the list")).toBe("did you mean wire/ids?");
});
