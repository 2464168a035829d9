import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

/** Has tasks, named by line and number, ask for the places of a semaphore at once, and gives the order they began in. */
async function orderOf(places: number, asking: readonly string[]): Promise<string[]> {
  const semaphore = createSemaphore(places);
  const begun: string[] = [];
  await Promise.all(
    asking.map((name) =>
      semaphore.run(async () => {
        begun.push(name);
        await new Promise(setImmediate);
      }, name[0]),
    ),
  );
  return begun;
}

test("lines take turns, each in its own order", async () => {
  const begun = await orderOf(1, ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("what is asked for is begun, once, however many places there are", async () => {
  const asking = Array.from({ length: 60 }, (_, index) => `${"abc"[index % 3]}${index}`);
  for (const places of [1, 7, 60]) expect((await orderOf(places, asking)).toSorted()).toEqual(asking.toSorted());
});

test("no more are under way at once than there are places, and a failure gives its place back", async () => {
  const semaphore = createSemaphore(3);
  let now = 0;
  let most = 0;
  const tasks = Array.from({ length: 20 }, (_, index) =>
    semaphore.run(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      if (index % 2 === 0) throw new Error("failed");
    }, index % 4),
  );
  await Promise.allSettled(tasks);
  expect(most).toBe(3);
});
