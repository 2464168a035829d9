import { expect, test } from "vitest";
import { openCase } from "../case.testing.ts";
import { startJob } from "./job.ts";
import { betweenAttempts, triedAgain } from "./job-attempts.ts";

test("a job that is tried again is caught between two attempts, and at another than its first", async () => {
  const { context } = await openCase("alpha.v1");
  const start = () => startJob(context, "retry");
  const { record: waiting } = await betweenAttempts(context, start);
  expect(waiting.nextAttemptAt).toBeDefined();
  const { record: again, changesOnlyByMutation } = await triedAgain(context, start);
  expect(Number(again.attemptCount)).toBeGreaterThan(1);
  expect(changesOnlyByMutation).toBe(false);
});

test("where no job is tried again, that is said once it has been looked for", async () => {
  const { context } = await openCase("alpha.v1");
  const start = () => startJob(context, "succeed");
  await expect(betweenAttempts(context, start)).rejects.toThrow("a job between two attempts is shown nowhere");
});
