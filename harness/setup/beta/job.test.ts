import { expect, test } from "vitest";
import { failing, openCase, seen } from "../case.testing.ts";

test("a job is the one of a run that has ended, and stays with it", async () => {
  const { context, end } = await openCase("beta.v1");
  const made = await context.setup.fresh("job");
  expect(made).toMatchObject({ kind: "job", record: { state: "RUN_STATE_SUCCEEDED" }, changesOnlyByMutation: true });
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toEqual(made.record);
});

test("one that cannot be read leaves the case unproven", async () => {
  const row = "beta.v1.PlatformService/GetJob";
  const { context } = await openCase("beta.v1", { decoration: failing(row) });
  await expect(context.setup.fresh("job")).rejects.toThrow(`needs ${row}, which was refused`);
});
