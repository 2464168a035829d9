import { expect, test } from "vitest";
import { sendTogether } from "./batch.ts";
import { createSemaphore } from "./semaphore.ts";

/** Runs tasks, named by queue and number, all asking at once for the permits of a semaphore; gives the order they began in. */
async function orderOf(permits: number, asking: readonly string[]): Promise<string[]> {
  const semaphore = createSemaphore(permits);
  const begun: string[] = [];
  await Promise.all(
    asking.map((name) =>
      semaphore.run(
        async () => {
          begun.push(name);
          await new Promise(setImmediate);
        },
        { queue: name[0] },
      ),
    ),
  );
  return begun;
}

test("queues take turns, each in its own order", async () => {
  const begun = await orderOf(1, ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("each task begins once, however many permits there are", async () => {
  const asking = Array.from({ length: 60 }, (_, index) => `${"abc"[index % 3]}${index}`);
  for (const permits of [1, 7, 60]) expect((await orderOf(permits, asking)).toSorted()).toEqual(asking.toSorted());
});

test("no more tasks run at once than there are permits, and a failed one gives its permit back", async () => {
  const semaphore = createSemaphore(3);
  let now = 0;
  let max = 0;
  const tasks = Array.from({ length: 20 }, (_, index) =>
    semaphore.run(
      async () => {
        now += 1;
        max = Math.max(max, now);
        await new Promise(setImmediate);
        now -= 1;
        if (index % 2 === 0) throw new Error("failed");
      },
      { queue: index % 4 },
    ),
  );
  await Promise.allSettled(tasks);
  expect(max).toBe(3);
});

test("a limit that grows lets more begin at the next end, and one that shrinks fewer", async () => {
  let permits = 1;
  const semaphore = createSemaphore(() => permits);
  const ends: (() => void)[] = [];
  const tasks = Array.from({ length: 6 }, () =>
    semaphore.run(() => new Promise<void>((resolve) => void ends.push(resolve))),
  );
  const turn = () => new Promise(setImmediate);
  await turn();
  expect(ends).toHaveLength(1);
  permits = 4;
  ends[0]?.();
  await turn();
  expect(ends).toHaveLength(5);
  permits = 2;
  for (const end of ends.slice(1, 3)) end();
  await turn();
  expect(ends).toHaveLength(5);
  ends[3]?.();
  await turn();
  expect(ends).toHaveLength(6);
  for (const end of ends.slice(4)) end();
  await Promise.all(tasks);
});

test("what is urgent begins before all that waits, and at the rate that all keep to", async () => {
  const semaphore = createSemaphore(1, () => 50);
  const begun: string[] = [];
  const began = (name: string) => async () => {
    begun.push(name);
    await new Promise(setImmediate);
  };
  const asked = performance.now();
  const others = ["a", "b", "c", "d"].map((name) => semaphore.run(began(name)));
  await semaphore.run(began("urgent"), { isUrgent: true });
  expect(begun).toEqual(["a", "urgent"]);
  await Promise.all(others);
  expect(begun).toEqual(["a", "urgent", "b", "c", "d"]);
  // Five starts, 20 ms from one to the next.
  expect(performance.now() - asked).toBeGreaterThan(70);
});

test("what is urgent and of a batch begins with its batch", async () => {
  const semaphore = createSemaphore(2);
  const begun: string[] = [];
  const batch = sendTogether(2, (one, index) =>
    semaphore.run(async () => void begun.push(`batch ${index}`), { queue: "batch", batch: one, isUrgent: index === 0 }),
  );
  const late = await Promise.race([batch, new Promise((resolve) => setTimeout(resolve, 2000, "late"))]);
  expect(late).not.toBe("late");
  expect(begun).toEqual(["batch 0", "batch 1"]);
});
