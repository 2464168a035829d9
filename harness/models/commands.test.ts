import fc from "fast-check";
import { expect, test } from "vitest";
import { checkProperty } from "../generate/window.ts";
import { type CommandSequence, commandSequences } from "./commands.ts";

const sequences = fc.sample(commandSequences(8), { numRuns: 300, seed: 2 });
const isStale = ({ commands }: CommandSequence) =>
  commands.some((command) => command.type === "mutate" && command.version === "stale");

test("the same seed gives the same commands", () => {
  expect(fc.sample(commandSequences(8), { numRuns: 300, seed: 2 })).toEqual(sequences);
});

test("sequences have up to eight commands, of every type", () => {
  for (const { commands } of sequences) {
    expect(commands.length).toBeGreaterThanOrEqual(1);
    expect(commands.length).toBeLessThanOrEqual(8);
  }
  const types = new Set(sequences.flatMap(({ commands }) => commands.map(({ type }) => type)));
  expect(types).toEqual(new Set(["create", "read", "list", "mutate", "replay"]));
  expect(sequences.filter(isStale).length).toBeGreaterThan(100);
});

test("a type of weight 0 does not occur", () => {
  const without = fc.sample(commandSequences(8, { list: 0 }), { numRuns: 100, seed: 3 });
  expect(without.some(({ commands }) => commands.some(({ type }) => type === "list"))).toBe(false);
});

test("a sequence shrinks to the one command that a failure needs", async () => {
  const check = async (sequence: CommandSequence) => {
    if (isStale(sequence)) throw new Error("stale");
  };
  const verdict = await checkProperty(commandSequences(8), check, { seed: 5, runs: 50 });
  expect(verdict).toMatchObject({ failed: true, confirmed: true });
  if (!verdict.failed) return;
  expect(verdict.counterexample.commands.length).toBe(1);
  expect(fc.stringify(verdict.counterexample)).toBe("commands [mutation 0 of record 0, stale version, variation 0]");
});
