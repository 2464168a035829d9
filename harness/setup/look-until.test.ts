import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import { lookUntil } from "./look-until.ts";

/** A context that polls so many times. */
const polling = (times: number) =>
  ({
    target: { settings: { patience: { settleMs: 1 } } },
    async poll<T>(probe: () => Promise<T | undefined>) {
      for (let tried = 0; tried < times; tried += 1) {
        const found = await probe();
        if (found !== undefined) return found;
      }
      return undefined;
    },
  }) as unknown as CaseContext;

test("what is fine at once is looked at once", async () => {
  let looks = 0;
  expect(
    await lookUntil(
      polling(5),
      async () => ++looks,
      () => true,
    ),
  ).toBe(1);
});

test("each look is given what was seen before, and the last is returned", async () => {
  const before: (number | undefined)[] = [];
  const look = async (seen: number | undefined) => {
    before.push(seen);
    return (seen ?? 0) + 1;
  };
  expect(await lookUntil(polling(5), look, (seen) => seen === 3)).toBe(3);
  expect(before).toEqual([undefined, 1, 2]);
});

test("where it never is fine, what was seen last is returned once patience is over", async () => {
  const look = async (seen: number | undefined) => (seen ?? 0) + 1;
  expect(await lookUntil(polling(2), look, () => false)).toBe(3);
});
