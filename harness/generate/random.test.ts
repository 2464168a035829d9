import { describe, expect, test } from "vitest";
import { createRandom } from "./random.ts";

const draw = (random = createRandom(1)) => [
  random.uuidv7(),
  random.token(12),
  random.integer(0, 1e9),
  ...random.bytes(40),
];

describe("a random source", () => {
  test("gives the same values for the same seed and namespace, and others otherwise", () => {
    expect(draw(createRandom(42, { namespace: "run" }))).toEqual(draw(createRandom(42, { namespace: "run" })));
    expect(draw(createRandom(42))).not.toEqual(draw(createRandom(43)));
    expect(draw(createRandom(42, { namespace: "a" }))).not.toEqual(draw(createRandom(42, { namespace: "b" })));
  });

  test("derives sources that do not depend on what was drawn elsewhere", () => {
    const one = createRandom(1);
    const other = createRandom(1);
    other.bytes(100);
    other.derive("elsewhere").token(5);
    expect(draw(one.derive("case").derive("3"))).toEqual(draw(other.derive("case").derive("3")));
    expect(draw(one.derive("case"))).not.toEqual(draw(one.derive("other")));
    expect(draw(createRandom(1).derive("a"))).not.toEqual(draw(createRandom(1)));
  });

  test("gives UUIDs of version 7 that carry the time and do not repeat", () => {
    const random = createRandom(7, { now: () => 0x0189_0a5d_ac96 });
    const ids = Array.from({ length: 500 }, () => random.uuidv7());
    expect(new Set(ids).size).toBe(500);
    expect(ids.filter((id) => !/^01890a5d-ac96-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual([]);
    expect(createRandom(7).uuidv7()).toBe(createRandom(7).uuidv7());
  });

  test("gives tokens of the length asked for, from letters and digits", () => {
    expect(createRandom(1).token(64)).toMatch(/^[a-z0-9]{64}$/);
    expect(createRandom(1).token(0)).toBe("");
  });

  test("gives every number of a range and none outside it", () => {
    const random = createRandom(1);
    const numbers = Array.from({ length: 300 }, () => random.integer(-2, 3));
    expect(new Set(numbers)).toEqual(new Set([-2, -1, 0, 1, 2, 3]));
    expect(random.integer(5, 5)).toBe(5);
    expect(() => random.integer(2, 1)).toThrow("no whole number from 2 to 1");
  });
});
