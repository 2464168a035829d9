import fc from "fast-check";
import { expect, test } from "vitest";
import { encodedRunsIn } from "./runs.ts";

test("runs are those that a regular expression finds", () => {
  const text = fc.array(fc.oneof(fc.constantFrom("a", "Z", "0", "-", "_", "/", "+", " ", '"', "é", ""), fc.string()), {
    maxLength: 80,
  });
  const run = fc.property(text, fc.integer({ min: 1, max: 8 }), (parts, shortest) => {
    const bytes = Buffer.from(parts.join(""));
    const found = [...bytes.toString("latin1").matchAll(new RegExp(`[A-Za-z0-9+/_-]{${shortest},}`, "g"))];
    const expected = found.map(({ 0: whole, index }) => ({ text: whole, index }));
    expect([...encodedRunsIn(bytes, shortest)]).toEqual(expected);
  });
  fc.assert(run, { numRuns: 2000 });
});
