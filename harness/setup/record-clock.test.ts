import { expect, test } from "vitest";
import { createTimed, recordClockAhead } from "./record-clock.ts";

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

test("what is created now shows it, and nothing shows none", async () => {
  const made = { record: { createdAt: new Date(Date.now() + 40_000).toISOString() } };
  const timed = await createTimed(async () => made);
  expect(timed.made).toBe(made);
  expect(timed.aheadMs).toBeGreaterThan(39_000);
  expect(await createTimed(async () => undefined)).toEqual({ made: undefined, aheadMs: 0 });
});
