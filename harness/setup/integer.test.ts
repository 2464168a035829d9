import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listSources } from "../../.ci/house/modules.ts";
import { Unproven } from "../case/unproven.ts";
import { farFrom, integerAt, numericVersion } from "./integer.ts";

test.each([
  ["12", 12n],
  ["-1", -1n],
  [7, 7n],
  ["18446744073709551615", 18446744073709551615n],
  ["", 0n],
  [null, 0n],
  [undefined, 0n],
])("%j is an integer", (value, expected) => {
  expect(integerAt(value === undefined ? {} : { a: { b: value } }, "a.b")).toBe(expected);
});

test.each(["abc", "1e9", "1.5", "9".repeat(1000), "9".repeat(1_000_000), 1.5, 1e300, true, {}, [], " 1", "0x10"])(
  "what is none leaves a case unproven (%#)",
  (value) => {
    expect(() => integerAt({ a: value }, "a")).toThrow(Unproven);
    expect(() => numericVersion({ version: JSON.stringify(value) })).toThrow(Unproven);
  },
);

test("no other module of the driver and the suite makes an integer of a target's text", () => {
  const root = `${import.meta.dirname}/../..`;
  /** These bound what they read themselves, or read numbers of our own. */
  const known = [
    "harness/oracles/agreement.ts",
    "harness/models/linearization.ts",
    "harness/models/resources/memory.ts",
    "harness/generate/spelling.ts",
    "harness/generate/random.ts",
    "harness/wire/json.ts",
    "harness/wire/nanoseconds.ts",
    "harness/generate/wrong-types.ts",
    "suites/auth/token-lifetime.ts",
    "suites/lifecycle/catalog/default-retention.ts",
    "suites/wire/ids.ts",
    "suites/lifecycle/artifacts/artifacts.ts",
  ];
  const reading = listSources(root).filter(
    (file) =>
      /^(harness|suites)\//.test(file) &&
      !/\.test\.ts$|\.testing\.ts$|^harness\/servers\//.test(file) &&
      /\bBigInt\(/.test(readFileSync(`${root}/${file}`, "utf8")),
  );
  expect(reading.sort()).toEqual(known.sort());
});

test.each([
  [5n, 1_000_005n],
  [2n ** 63n - 1n, 2n ** 63n - 1_000_001n],
  [2n ** 64n - 1n, 2n ** 64n - 1_000_001n],
])("a version far from %s fits into 63 bits where it can", (current, far) => {
  expect(farFrom(current)).toBe(far);
});
