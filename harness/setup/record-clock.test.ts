import { expect, test } from "vitest";
import { recordClockAhead } from "./record-clock.ts";

const [since, until] = [Date.parse("2026-01-01T12:00:00Z"), Date.parse("2026-01-01T12:00:10Z")];

test.each([
  ["2026-01-01T12:00:05Z", 0],
  ["2026-01-01T11:59:40Z", 0],
  ["2026-01-01T12:00:39Z", 0],
  ["2026-01-01T11:58:30Z", -90_000],
  ["2026-01-01T12:02:10Z", 120_000],
  ["2025-12-31T12:00:00Z", 0],
  [null, 0],
])("a record of %s shows a clock that is ahead by %d ms", (createdAt, ahead) => {
  expect(recordClockAhead({ record: { createdAt } }, since, until)).toBe(ahead);
});
