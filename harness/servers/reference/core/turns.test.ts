import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("no more than so many run at once, in the order they came", async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const task = (index: number) =>
    turns(() => {
      begun.push(index);
      return new Promise<void>((end) => ends.push(end));
    });
  const all = [0, 1, 2, 3].map(task);
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await all[1];
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await all[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end();
  await Promise.all(all);
});

test("one that fails gives its turn to the next", async () => {
  const turns = createTurns(1);
  await expect(turns(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await turns(() => Promise.resolve("served"))).toBe("served");
});
