import { expect, test } from "vitest";
import { textAt } from "../../wire/json.ts";
import { openCase } from "../case.testing.ts";
import { startJob } from "./job.ts";
import { watchJob } from "./job-stream.ts";

const states = (jobs: readonly object[]) => jobs.map((job) => Reflect.get(job, "state"));

test("a job is watched to its end", async () => {
  const { context } = await openCase("alpha.v1", { decoration: { choices: { jobStageMs: [50, 60] } } });
  const { jobs } = await watchJob(context, await startJob(context, "succeed"), undefined);
  expect(states(jobs).at(-1)).toBe("JOB_STATE_SUCCEEDED");
  expect(new Set(states(jobs))).toContain("JOB_STATE_RUNNING");
});

test("a stream that ends early is resumed where it was", async () => {
  const decoration = { choices: { jobStageMs: [20, 30] } };
  const { context, asked } = await openCase("alpha.v1", { decoration });
  const job = await startJob(context, "succeed");
  // One message of each stream is read.
  const call: typeof context.call = (row, request, options) =>
    context.call(row, request, { ...options, enough: (messages) => messages.length > 0 });
  const { jobs, replies } = await watchJob({ ...context, call }, job, undefined);
  expect(replies.length).toBeGreaterThan(1);
  expect(states(jobs).at(-1)).toBe("JOB_STATE_SUCCEEDED");
  const after = asked.filter(({ rpc }) => rpc.endsWith("/WatchJob")).map(({ request }) => request.afterResourceVersion);
  const shown = replies.map((reply) => textAt(reply.messages.at(-1)?.json, "job.resourceVersion"));
  expect(after.slice(1)).toEqual(shown.slice(0, -1).map((version, index) => version || after[index]));
});

test("one that does not end is watched as long as is asked", async () => {
  const { context } = await openCase("alpha.v1");
  const { jobs } = await watchJob(context, await startJob(context, "slow"), undefined, 200);
  expect(states(jobs)).not.toContain("JOB_STATE_SUCCEEDED");
  expect(jobs.length).toBeGreaterThan(0);
});
