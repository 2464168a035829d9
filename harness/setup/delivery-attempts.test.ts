import { expect, test } from "vitest";
import { fewestAttempts } from "./delivery-attempts.ts";

const came = (at: number, body = "{}") => ({
  method: "POST",
  target: "/hook",
  headers: {},
  body: Buffer.from(body),
  at,
  answered: 200,
});

test("an attempt may be posted twice, and no oftener", () => {
  expect(
    [[], [0], [0, 10], [0, 10, 20], [0, 10, 20, 30]].map((at) => fewestAttempts(at.map((one) => came(one)))),
  ).toEqual([0, 1, 1, 2, 2]);
});

test("what comes later, or with another body, is another attempt", () => {
  expect(fewestAttempts([came(0), came(1001)])).toBe(2);
  expect(fewestAttempts([came(0), came(101)], 100)).toBe(2);
  expect(fewestAttempts([came(0), came(10, '{"attempt":2}'), came(20, '{"attempt":2}')])).toBe(2);
});
