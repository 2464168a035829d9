import { expect, test, vi } from "vitest";
import { openCase } from "../setup/case.testing.ts";
import type { Run } from "./run.ts";

const listArtifacts = "alpha.v1.ArtifactService/ListArtifacts";

/** A case on a target that serves so many calls, and refuses the others for their rate; what its refusals say of how fast to ask. */
async function openLimited(calls: number) {
  const choices = { rateLimit: { calls, windowMs: 60_000 } };
  const { context } = await openCase("alpha.v1", { decoration: { choices } });
  const slower = vi.spyOn((context.run as Run).wire, "backOff");
  // A foreign reply is judged by no invariant: its RPC counts as not asked yet.
  const list = (foreign = false) =>
    context.call(listArtifacts, { ...context.setup.tenant(), page: { pageSize: 1 } }, { foreign });
  return { list, said: () => slower.mock.calls.flat() };
}

test("a target that refuses calls for their rate is asked more slowly", async () => {
  const { list, said } = await openLimited(1);
  await list();
  await expect(list()).rejects.toThrow("says it is busy");
  expect(said()).toEqual(["too many"]);
});

test("a target that has served nothing is not asked more slowly, whatever it says: nobody knows a pace that it serves", async () => {
  const { list, said } = await openLimited(0);
  await expect(list(true)).rejects.toThrow("says it is busy");
  await expect(list()).rejects.toThrow("says it is busy");
  expect(said()).toEqual([undefined, undefined]);
});
