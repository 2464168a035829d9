import { expect, test } from "vitest";
import { openCase } from "../../harness/setup/case.testing.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { callCurrent } from "./current-call.ts";

const stale = {
  outcome: "refused",
  error: { reason: "RESOURCE_VERSION_CONFLICT", code: "aborted" },
} as unknown as Reply;

/** Calls an RPC on an ended job that moves by itself before each of the first calls, and counts the calls. */
async function callsOn(rpcName: string, moves: number) {
  const { context } = await openCase("alpha.v1");
  const row = rpc(rpcName);
  const subject = { ...(await context.setup.fresh("secret")), changesOnlyByMutation: true };
  let [version, calls] = [1, 0];
  const current = async () => ({ ...subject, version: String(version) });
  const call = async () => {
    calls += 1;
    if (calls > moves) return { outcome: "served" } as Reply;
    version += 1;
    return stale;
  };
  const reply = await callCurrent(
    {
      ...context,
      row,
      call,
      setup: { ...context.setup, current, request: async () => ({}), baseUrl: () => undefined },
    } as never,
    subject,
  );
  return { outcome: reply.outcome, calls };
}

test("work that was revised since it was read is called as it is now, a few times at most", async () => {
  expect(await callsOn("alpha.v1.JobService/DeleteJob", 2)).toEqual({ outcome: "served", calls: 3 });
  expect(await callsOn("alpha.v1.JobService/DeleteJob", 9)).toEqual({ outcome: "refused", calls: 3 });
});

test("what changes by calls alone is called once", async () => {
  expect(await callsOn("alpha.v1.SecretService/DeleteSecret", 2)).toEqual({ outcome: "refused", calls: 1 });
});
