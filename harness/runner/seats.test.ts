import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeats } from "./seats.ts";

test("there are as many seats as usual, and one that is given back lets all look, in turn", async () => {
  const seats = createSeats(2);
  const looked: string[] = [];
  seats.whenFree(() => looked.push("one"));
  seats.whenFree(() => looked.push("other"));
  expect([seats.take(), seats.take(), seats.take()]).toEqual([true, true, false]);
  seats.give();
  seats.give();
  await sleep(0);
  expect(looked).toEqual(["other", "one", "one", "other"]);
  expect(seats.take()).toBe(true);
});

test("more begin while nothing waits to be sent and the thread has little to do, up to a bound", async () => {
  const state = { isFree: true, busy: 0.1 };
  const seats = createSeats(
    2,
    () => state.isFree,
    () => state.busy,
  );
  let taken = 0;
  const takeAll = () => {
    while (seats.take()) taken += 1;
  };
  seats.whenFree(takeAll);
  takeAll();
  expect(taken).toBe(2);
  await expect.poll(() => taken).toBe(8);
});

test.each([
  ["the target is asked all it may be asked at once", { isFree: false, busy: 0.1 }],
  ["the thread is busy", { isFree: true, busy: 0.9 }],
])("no more begin while %s", async (_why, state) => {
  const seats = createSeats(
    1,
    () => state.isFree,
    () => state.busy,
  );
  expect([seats.take(), seats.take()]).toEqual([true, false]);
  await sleep(60);
  expect(seats.take()).toBe(false);
});
