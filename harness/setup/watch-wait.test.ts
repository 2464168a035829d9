import { expect, test } from "vitest";
import { startJob } from "./alpha/job.ts";
import { watchJob } from "./alpha/job-stream.ts";
import { startRun } from "./beta/run.ts";
import { watchRun } from "./beta/run-stream.ts";
import { changing, openCase } from "./case.testing.ts";
import { waitForEnd } from "./watch-wait.ts";

const brief = { target: changing({ patience: { settleMs: 60 } }) };

test("a watch that shows no end is waited for three times, and then known", async () => {
  const { context } = await openCase("alpha.v1", brief);
  for (let miss = 0; miss < 3; miss += 1) waitForEnd(context, "WatchJob", 60).ended(false);
  const job = await startJob(context, "succeed");
  await expect(watchJob(context, job, undefined)).rejects.toThrow(
    /^needs a WatchJob that shows an end: waited for in vain 3 times in a row, and not again$/,
  );
  // Less than all the time there is says nothing, and is never in vain.
  await expect(watchJob(context, job, undefined, 30)).resolves.toBeDefined();
  expect(() => waitForEnd(context, "WatchRun", 60)).not.toThrow();
});

test("watches tell how they came out", async () => {
  const alpha = (await openCase("alpha.v1", brief)).context;
  const slow = await startJob(alpha, "slow");
  for (let miss = 0; miss < 3; miss += 1) await watchJob(alpha, slow, undefined);
  await expect(watchJob(alpha, slow, undefined)).rejects.toThrow("needs a WatchJob that shows an end");
  const beta = (await openCase("beta.v1", brief)).context;
  const run = await startRun(beta, "slow");
  for (let miss = 0; miss < 2; miss += 1) await watchRun(beta, run);
  await watchRun(beta, await startRun(beta, "complete"), { withinMs: 5000 });
  for (let miss = 0; miss < 3; miss += 1) await watchRun(beta, run);
  await expect(watchRun(beta, run)).rejects.toThrow("needs a WatchRun that shows an end");
});

test("what a case waits for by itself, and what comes late, says nothing", async () => {
  const { context } = await openCase("beta.v1", brief);
  const run = await startRun(context, "slow");
  for (let watch = 0; watch < 5; watch += 1) await watchRun(context, run, { isLast: () => false });
  await expect(watchRun(context, run)).resolves.toBeDefined();
});
