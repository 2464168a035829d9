import { expect, test } from "vitest";
import type { Decoration } from "../servers/reference/core/decoration.ts";
import { startJob } from "./alpha/job.ts";
import { watchJob } from "./alpha/job-stream.ts";
import { startRun } from "./beta/run.ts";
import { watchRun } from "./beta/run-stream.ts";
import { changing, openCase } from "./case.testing.ts";
import { waitForEnd } from "./watch-wait.ts";

const brief = { target: changing({ patience: { settleMs: 60 } }) };

test("a watch that shows no end is waited for three times, and then known", async () => {
  const { context } = await openCase("alpha.v1", brief);
  const job = await startJob(context, "succeed");
  for (let miss = 0; miss < 3; miss += 1) waitForEnd(context, job, 60).ended(false);
  await expect(watchJob(context, job, undefined)).rejects.toThrow(
    /^needs a watch of a job that shows its end: waited for in vain 3 times in a row, and not again$/,
  );
  // Less than all the time there is says nothing, and is never in vain.
  expect((await watchJob(context, job, undefined, 30)).replies).not.toEqual([]);
  expect(() => waitForEnd(context, { ...job, kind: "run" }, 60)).not.toThrow();
});

/** How often a watch is made before it is known to be in vain; on a busy machine one that no answer came to in time is not counted. */
async function watchesBefore(refusal: string, watch: () => Promise<unknown>): Promise<number> {
  for (let made = 0; made < 50; made += 1) {
    const refused = await watch().then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (refused?.startsWith(refusal) === true) return made;
  }
  return expect.fail(`${refusal}: never said`);
}

test("watches tell how they came out", async () => {
  const alpha = (await openCase("alpha.v1", brief)).context;
  const slow = await startJob(alpha, "slow");
  const ofJobs = () => watchJob(alpha, slow, undefined);
  expect(await watchesBefore("needs a watch of a job that shows its end", ofJobs)).toBeGreaterThanOrEqual(3);
  const beta = (await openCase("beta.v1", brief)).context;
  const run = await startRun(beta, "slow");
  for (let miss = 0; miss < 2; miss += 1) await watchRun(beta, run);
  await watchRun(beta, await startRun(beta, "complete"), { withinMs: 5000 });
  const ofRuns = () => watchRun(beta, run);
  expect(await watchesBefore("needs a watch of a run that shows its end", ofRuns)).toBeGreaterThanOrEqual(3);
});

test("what a case waits for by itself, and what comes late, says nothing", async () => {
  const { context } = await openCase("beta.v1", brief);
  const run = await startRun(context, "slow");
  for (let watch = 0; watch < 5; watch += 1) await watchRun(context, run, { isLast: () => false });
  expect((await watchRun(context, run)).replies).not.toEqual([]);
});

test("where its subject has ended, streams that end and show nothing are soon enough of them", async () => {
  const decoration: Decoration = {
    async *frames(own, { rpc }) {
      for await (const frame of own) if (!rpc.endsWith("/WatchJob") || (frame[0] ?? 0) === 2) yield frame;
    },
  };
  const { context, asked } = await openCase("alpha.v1", { ...brief, decoration });
  const job = await startJob(context, "succeed");
  const since = performance.now();
  const { jobs, replies } = await watchJob(context, job, undefined, 60_000);
  expect(jobs).toEqual([]);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(replies.length).toBeGreaterThan(8);
  expect(asked.filter(({ rpc }) => rpc.endsWith("/GetJob")).length).toBeGreaterThan(0);
});
