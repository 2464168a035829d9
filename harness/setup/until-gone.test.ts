import { expect, test } from "vitest";
import type { Subject } from "../case/setup.ts";
import { openCase } from "./case.testing.ts";
import { untilGone } from "./until-gone.ts";

const at = (version: number): Subject => ({
  kind: "job",
  id: { value: "1" },
  record: {},
  version: String(version),
  changesOnlyByMutation: true,
});

test("it is removed at the version it has come to", async () => {
  const { context } = await openCase("alpha.v1");
  const tried: string[] = [];
  const remove = async ({ version }: Subject) => (tried.push(version) > 0 && version === "3" ? undefined : "not yet");
  expect(await untilGone(context, at(1), remove, async () => at(tried.length + 1))).toBeUndefined();
  expect(tried).toEqual(["1", "2", "3"]);
});

test("what is no longer there is gone", async () => {
  const { context } = await openCase("alpha.v1");
  expect(
    await untilGone(
      context,
      at(1),
      async () => "refused",
      async () => undefined,
    ),
  ).toBeUndefined();
});

test("what does not move is given up after four attempts, what moves on and on after ten", async () => {
  // Without the pauses between them.
  const context = { ...(await openCase("alpha.v1")).context, signal: AbortSignal.abort() };
  const attempts = async (moves: boolean) => {
    let count = 0;
    const refuse = async () => {
      count += 1;
      return `refused ${count} times`;
    };
    const why = await untilGone(context, at(1), refuse, async () => at(moves ? count + 1 : 1));
    expect(why).toBe(`refused ${count} times`);
    return count;
  };
  expect(await attempts(false)).toBe(4);
  expect(await attempts(true)).toBe(10);
});

test("where three of a kind could not be removed, the next is tried once, until one can be", async () => {
  const context = { ...(await openCase("alpha.v1")).context, signal: AbortSignal.abort() };
  const attempts = async (kind: string, isServed = false) => {
    let count = 0;
    const remove = async () => {
      count += 1;
      return isServed ? undefined : "refused";
    };
    await untilGone(context, { ...at(1), kind }, remove, async () => ({ ...at(1), kind }));
    return count;
  };
  const tried: number[] = [];
  for (let one = 0; one < 5; one += 1) tried.push(await attempts("job"));
  expect(tried).toEqual([4, 4, 4, 1, 1]);
  expect(await attempts("secret")).toBe(4);
  expect([await attempts("job", true), await attempts("job")]).toEqual([1, 4]);
});
