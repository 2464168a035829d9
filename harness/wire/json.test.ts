import { describe, expect, test } from "vitest";
import { idKey, instantOf, isDefault, sameJson, valueAt } from "./json.ts";

describe("sameJson", () => {
  test.each([
    [undefined, null],
    [undefined, 0],
    ["0", undefined],
    ["ARTIFACT_STATE_UNSPECIFIED", undefined],
    [[], undefined],
    [{ a: "" }, {}],
    [1, "1"],
    ["0198C0DE-0000-7000-8000-0000000000AB", "0198c0de-0000-7000-8000-0000000000ab"],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T05:30:00+05:30", "2026-01-01T00:00:00Z"],
    ["1.500s", "1.5s"],
    ["3600s", "3600.000s"],
    ["-_8", "+/8="],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [
      [{ value: "b" }, { value: "a" }],
      [{ value: "a" }, { value: "b" }],
    ],
  ])("takes %j and %j for the same", (a, b) => {
    expect(sameJson(a as never, b as never)).toBe(true);
  });

  test.each([
    ["a", "b"],
    ["1", "2"],
    ["100s", "1s"],
    ["QUJD", "QUJE"],
    ["https://a-b.test", "https://a+b.test"],
    [
      [1, 1, 2],
      [1, 2, 2],
    ],
    ["2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00.2Z"],
    [{ a: 1 }, {}],
    ["9007199254740993", "9007199254740992"],
  ])("tells %j and %j apart", (a, b) => {
    expect(sameJson(a as never, b as never)).toBe(false);
  });
});

test("valueAt follows names and places", () => {
  expect(valueAt({ a: [{ b: 1 }] }, "a[0].b")).toBe(1);
  expect(valueAt({ a: [] }, "a[0].b")).toBeUndefined();
});

test("instantOf reads nanoseconds", () => {
  expect(instantOf("1970-01-01T00:00:01.000000001Z")).toBe(1_000_000_001n);
  expect(instantOf("yesterday")).toBeUndefined();
});

test("isDefault is what ProtoJSON leaves out", () => {
  expect(
    [undefined, null, 0, "0", "", false, [], {}, "JOB_STATE_UNSPECIFIED"].every((value) => isDefault(value as never)),
  ).toBe(true);
  expect([1, "a", true, [0], { a: 1 }].some((value) => isDefault(value as never))).toBe(false);
});

test("an id has the same key in either letter case, and no other id has it", () => {
  const id = { value: "018f0000-abcd-7000-8000-00000000000a" };
  expect(idKey({ value: id.value.toUpperCase() })).toBe(idKey(id));
  expect(idKey({ value: id.value.replace("a", "b") })).not.toBe(idKey(id));
});
