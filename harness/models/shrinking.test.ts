import { expect, test } from "vitest";
import { checkProperty } from "../generate/window.ts";
import { type CommandSequence, commandSequences } from "./commands.ts";
import { boundShrinking } from "./shrinking.ts";

const isStale = ({ commands }: CommandSequence) =>
  commands.some((command) => command.type === "mutate" && command.version === "stale");

test("bounded shrinking ends with something that fails, and is confirmed", async () => {
  let tried = 0;
  const check = boundShrinking(async (sequence: CommandSequence) => {
    tried += 1;
    return !isStale(sequence);
  });
  const failing = async (sequence: CommandSequence) => {
    const before = tried;
    await check(sequence, undefined);
    if (tried > before && isStale(sequence)) throw new Error("stale");
  };
  const verdict = await checkProperty(commandSequences(8), failing, { seed: 5, runs: 50 });
  expect(verdict).toMatchObject({ failed: true, confirmed: true });
  expect(tried).toBeLessThan(50 + 16 + 70);
});

test("values known to fail are tried again, others only so often", async () => {
  const tried: number[] = [];
  const check = boundShrinking(async (value: number) => {
    tried.push(value);
    return value < 10;
  }, 2);
  for (const value of [5, 20, 1, 20, 2, 3, 20]) await check(value, undefined);
  expect(tried).toEqual([5, 20, 1, 20, 2, 20]);
});
