import { expect, test } from "vitest";
import { createBatch, sendTogether } from "./batch.ts";
import { createSemaphore } from "./semaphore.ts";

const turn = () => new Promise(setImmediate);

test("nobody leaves before all have come, and who comes again leaves alone", () => {
  const batch = createBatch(2);
  const left: number[] = [];
  const leave = (starts: readonly (() => void)[]) => void left.push(starts.length);
  batch.join(() => {}, leave);
  expect(left).toEqual([]);
  batch.join(() => {}, leave);
  expect(left).toEqual([2]);
  batch.join(() => {}, leave);
  expect(left).toEqual([2, 1]);
});

test("who will not come does not keep the others", async () => {
  const semaphore = createSemaphore(4);
  const sent: number[] = [];
  const all = sendTogether(3, async (batch, index) => {
    if (index === 1) throw new Error("not sent");
    await semaphore.run(async () => void sent.push(index), { queue: "a", batch });
  });
  await expect(all).rejects.toThrow("not sent");
  await turn();
  expect(sent).toEqual([0, 2]);
});

test("who does not come for long is not waited for, and leaves alone", async () => {
  const batch = createBatch(2, 5);
  const left: number[] = [];
  const leave = (starts: readonly (() => void)[]) => void left.push(starts.length);
  batch.join(() => {}, leave);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(left).toEqual([1]);
  batch.join(() => {}, leave);
  expect(left).toEqual([1, 1]);
});

/** What is in flight when each of a batch begins, among tasks of others that take a while. */
async function startsAmongOthers(permits: number, size: number) {
  const semaphore = createSemaphore(permits);
  const begun: string[] = [];
  let [now, max] = [0, 0];
  const task = (name: string, turns: number) => async () => {
    begun.push(name);
    now += 1;
    max = Math.max(max, now);
    for (let left = turns; left > 0; left -= 1) await turn();
    now -= 1;
  };
  const others = Array.from({ length: 30 }, (_, index) =>
    semaphore.run(task("other", 1 + (index % 3)), { queue: index % 3 }),
  );
  const batch = sendTogether(size, (one) => semaphore.run(task("batch", 2), { queue: "batch", batch: one }));
  await Promise.all([...others, batch]);
  return { begun, max };
}

test("those of a batch begin one right after the other, between tasks of others", async () => {
  const { begun, max } = await startsAmongOthers(8, 6);
  const first = begun.indexOf("batch");
  expect(begun.slice(first, first + 6)).toEqual(Array(6).fill("batch"));
  expect(first).toBeLessThan(30);
  expect(begun).toHaveLength(36);
  expect(max).toBeLessThanOrEqual(8);
});

test("a batch that is larger than the limit keeps to it", async () => {
  const { begun, max } = await startsAmongOthers(4, 10);
  expect(begun).toHaveLength(40);
  expect(max).toBeLessThanOrEqual(4);
});

test("a batch does not wait long for requests that take long", async () => {
  const semaphore = createSemaphore(3);
  const slow = Promise.withResolvers<void>();
  const held = semaphore.run(() => slow.promise, { queue: "other" });
  await sendTogether(3, (batch) => semaphore.run(turn, { queue: "batch", batch }));
  slow.resolve();
  await held;
});
