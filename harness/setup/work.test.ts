import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { sameJson, textAt } from "../wire/json.ts";
import { startJob } from "./alpha/job.ts";
import { startRun } from "./beta/run.ts";
import { changing, failing, openCase, replying } from "./case.testing.ts";
import { checkStandsStill, follow, promisedEnd, settle, untilRunning, untilSettled } from "./work.ts";

test("a job or run is settled once it has ended", async () => {
  const alpha = (await openCase("alpha.v1")).context;
  const job = await settle(alpha, await startJob(alpha, "succeed"));
  expect(job).toMatchObject({ record: { state: "JOB_STATE_SUCCEEDED" }, changesOnlyByMutation: true });
  const beta = (await openCase("beta.v1")).context;
  const run = await settle(beta, await startRun(beta, "fail"));
  expect(run).toMatchObject({ record: { state: "RUN_STATE_FAILED" }, changesOnlyByMutation: true });
});

test("what does not end, or is gone, leaves the case unproven", async () => {
  const brief = (await openCase("alpha.v1", { target: changing({ patience: { settleMs: 50 } }) })).context;
  await expect(settle(brief, await startJob(brief, "slow"))).rejects.toThrow("needs a job that ends; none did within");
  const decoration = failing("beta.v1.RunService/GetRun");
  const { context } = await openCase("beta.v1", { decoration });
  await expect(settle(context, await startRun(context, "complete"))).rejects.toThrow(
    "needs beta.v1.RunService/GetRun, which was refused",
  );
});

test("what is under way is no longer queued, and has stood still for a moment", async () => {
  const { context, asked } = await openCase("alpha.v1", { decoration: { choices: { jobStageMs: [30, 40] } } });
  const job = await untilRunning(context, await startJob(context, "slow"), "alpha.fixtureInputs.slow");
  expect(job).toMatchObject({ record: { state: "JOB_STATE_RUNNING" }, changesOnlyByMutation: false });
  const reads = asked.filter(({ rpc, request }) => rpc.endsWith("/GetJob") && sameJson(request.jobId, job.id));
  expect(reads.length).toBeGreaterThan(2);
});

test("an input that ends at once is not one to go on with", async () => {
  const { context } = await openCase("alpha.v1");
  const ended = await settle(context, await startJob(context, "succeed"));
  await expect(untilRunning(context, ended, "alpha.fixtureInputs.slow")).rejects.toThrow(
    "needs a job that goes on; alpha.fixtureInputs.slow ended at once",
  );
});

test("it is followed to its end, which is the promised one or leaves the case unproven", async () => {
  const { context } = await openCase("beta.v1");
  const replies = await follow(context, await startRun(context, "complete"));
  const last = promisedEnd(replies, "RUN_STATE_SUCCEEDED", "beta.inputs.complete");
  expect(last).toBe(replies.at(-1));
  expect(textAt(context.needs(last), "run.state")).toBe("RUN_STATE_SUCCEEDED");
  expect(promisedEnd(replies, undefined, "beta.inputs.slow")).toBe(last);
  expect(() => promisedEnd(replies, "RUN_STATE_FAILED", "beta.inputs.fail")).toThrow(
    "needs a run that ends RUN_STATE_FAILED; with beta.inputs.fail one was RUN_STATE_SUCCEEDED",
  );
  expect(() => promisedEnd([], undefined, "beta.inputs.slow")).toThrow("that can be read");
});

test("what is being canceled is waited for, and what is gone is not", async () => {
  const { context } = await openCase("beta.v1");
  const { setup, call } = context;
  const running = await setup.fresh("run:running");
  const cancel = "beta.v1.RunService/CancelRun";
  const request = { ...setup.tenant(), ...running.within, runId: running.id, expectedResourceVersion: running.version };
  context.needs(await call(cancel, request));
  expect((await untilSettled(context, running))?.record.state).toBe("RUN_STATE_CANCELED");
  expect(await untilSettled(context, { ...running, id: setup.requestId() })).toBeUndefined();
});

/** How often GetJob is asked while so many cases wait for the end of a job, where it shows a state like this. */
async function readsOf(state: JsonValue | undefined, cases: number, settleMs: number) {
  const getJob = "alpha.v1.JobService/GetJob";
  const { context, asked } = await openCase("alpha.v1", {
    decoration: replying(getJob, ({ job }) => ({
      job: { ...(job as JsonObject), ...(state === undefined ? {} : { state }) },
    })),
    target: (file) => ({ ...file, patience: { settleMs } }),
  });
  const started = await startJob(context, "succeed");
  const before = asked.length;
  const reasons: string[] = [];
  for (let waited = 0; waited < cases; waited += 1) {
    await settle(context, started).catch((error: Error) => reasons.push(error.message));
  }
  return { reads: asked.slice(before).filter(({ rpc }) => rpc === getJob).length, reasons };
}

test("a state that cannot be read ends a wait at the second look, and soon all waits", async () => {
  const { reads, reasons } = await readsOf(2, 12, 60_000);
  expect(reads).toBe(6);
  expect(reasons[0]).toBe("needs a job whose state can be read, which is 2");
  expect(reasons.at(-1)).toMatch(/^needs a job that ends: waited for in vain 3 times in a row, and not again$/);
});

test("what never ends is waited for by the first few", async () => {
  const few = await readsOf("JOB_STATE_RUNNING", 3, 60);
  const many = await readsOf("JOB_STATE_RUNNING", 15, 60);
  expect(few.reads).toBeGreaterThan(6);
  expect(many.reads).toBeLessThan(2 * few.reads);
  expect(many.reasons).toHaveLength(15);
});

test("versions say nothing about a call where work goes on behind the record", () => {
  const run = (state: string, version: string) => ({
    kind: "run" as const,
    id: null,
    record: { state },
    version,
    changesOnlyByMutation: false,
  });
  const [canceling, canceled] = [run("RUN_STATE_CANCELING", "2"), run("RUN_STATE_CANCELED", "3")];
  expect(() => checkStandsStill(canceling, canceled)).toThrow(
    "needs a run that stands still; one was RUN_STATE_CANCELING",
  );
  for (const [before, after] of [
    [canceling, canceling],
    [canceled, run("RUN_STATE_CANCELED", "4")],
    [undefined, canceled],
  ] as const)
    expect(() => checkStandsStill(before, after)).not.toThrow();
});
