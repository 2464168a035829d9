import { expect, test } from "vitest";
import { type AdaptiveLimit, createAdaptiveLimit } from "./adaptive-limit.ts";

/** Puts requests to a target that takes `msAt(inFlight)` for each, always as many at once as the limit lets. */
function drive(limit: AdaptiveLimit, requests: number, msAt: (inFlight: number) => number, key = "Get"): number {
  for (let nth = 0; nth < requests; nth += 1) {
    limit.note({ key, status: 200, ms: msAt(limit.permits), inFlight: limit.permits });
  }
  return limit.permits;
}

const stopped = () => 0;

test("it starts low, and reaches its maximum soon where answers stay as fast", () => {
  const limit = createAdaptiveLimit(32, stopped);
  expect(limit.permits).toBe(8);
  expect(drive(limit, 7, () => 20)).toBe(8);
  expect(drive(limit, 1, () => 20)).toBe(16);
  expect(drive(limit, 16, () => 20)).toBe(32);
  expect(drive(limit, 500, () => 20)).toBe(32);
});

test("it never goes beyond what was asked for", () => {
  expect(createAdaptiveLimit(1, stopped).permits).toBe(1);
  expect(drive(createAdaptiveLimit(1, stopped), 100, () => 5)).toBe(1);
  expect(drive(createAdaptiveLimit(12, stopped), 100, () => 5)).toBe(12);
});

test("it does not grow where fewer are asked than it lets", () => {
  const limit = createAdaptiveLimit(32, stopped);
  for (let nth = 0; nth < 200; nth += 1) limit.note({ key: "Get", status: 200, ms: 5, inFlight: 3 });
  expect(limit.permits).toBe(8);
});

test("on a target that slows down under load it stays where answers are as fast as they can be", () => {
  const limit = createAdaptiveLimit(64, stopped);
  // Two processors: each request beyond two waits 20 ms for one before it.
  const settled = new Set<number>();
  for (let round = 0; round < 40; round += 1) settled.add(drive(limit, 64, (inFlight) => 20 + 20 * inFlight));
  expect(Math.max(...[...settled].slice(1))).toBeLessThanOrEqual(24);
  expect(limit.permits).toBeGreaterThanOrEqual(8);
});

test("what is slow by its nature is no sign of load", () => {
  const limit = createAdaptiveLimit(32, stopped);
  drive(limit, 100, () => 3000, "RunSync");
  expect(drive(limit, 100, () => 3100, "RunSync")).toBe(32);
});

test("where the target says it is too much, half is asked, and more again only little by little", () => {
  const limit = createAdaptiveLimit(32, stopped);
  drive(limit, 100, () => 10);
  limit.overloaded();
  expect(limit.permits).toBe(16);
  expect(drive(limit, 16, () => 10)).toBe(18);
});

test("refusals that come at once are one sign, those that go on are more, down to one request at a time", () => {
  let ms = 0;
  const limit = createAdaptiveLimit(32, () => ms);
  for (let nth = 0; nth < 30; nth += 1) limit.overloaded();
  expect(limit.permits).toBe(4);
  for (let nth = 0; nth < 10; nth += 1) {
    ms += 250;
    limit.overloaded();
  }
  expect(limit.permits).toBe(1);
  expect(drive(limit, 400, () => 10)).toBe(32);
});

test("silence counts where the target answered such requests before, and brings it down to a few at a time", () => {
  let ms = 0;
  const limit = createAdaptiveLimit(32, () => ms);
  limit.timedOut("Get");
  expect([limit.permits, limit.everAnswered("Get")]).toEqual([8, false]);
  drive(limit, 60, () => 10);
  expect([limit.permits, limit.everAnswered("Get")]).toEqual([32, true]);
  for (let nth = 0; nth < 10; nth += 1) {
    ms += 250;
    limit.timedOut("Get");
  }
  expect(limit.permits).toBe(4);
});

test("what is served slowly is not compared with what is refused fast", () => {
  const limit = createAdaptiveLimit(32, stopped);
  for (let nth = 0; nth < 200; nth += 1) {
    const refused = nth % 4 === 0;
    limit.note({ key: "Get", status: refused ? 401 : 200, ms: refused ? 2 : 400, inFlight: limit.permits });
  }
  expect(limit.permits).toBe(32);
});
