import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { findersOf } from "./finders.ts";

const cases = await loadCases();
const faults = (count: number) => Array.from({ length: count }, (_, place) => `fault ${place}`);

test("cases that found most on each RPC they are put to, the best first; few faults, and what is concluded, do not count", () => {
  const foundBy = {
    // Put to 76 RPCs: five on each, and to one RPC: thirty.
    "lifecycle/valid-call-is-served a": faults(76 * 5),
    "lifecycle/payload-holds-input-and-output a": faults(20),
    "lifecycle/payload-holds-input-and-output b": faults(10),
    "auth/bad-credential-is-refused a": faults(76 * 4),
    "wire/messages-have-contract-form a": faults(9_999),
    "version/was-once-there a": faults(9_999),
  };
  expect(findersOf(foundBy, cases)).toEqual([
    "lifecycle/payload-holds-input-and-output",
    "lifecycle/valid-call-is-served",
  ]);
});
