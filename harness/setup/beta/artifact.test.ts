import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase, replying, seen } from "../case.testing.ts";

test("an artifact is left by a run, and stays with it", async () => {
  const { context, end } = await openCase("beta.v1");
  const made = await context.setup.fresh("artifact");
  expect(made).toMatchObject({ kind: "artifact", within: { jobId: made.record.jobId } });
  expect(await seen(context, made)).toEqual(made.record);
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toEqual(made.record);
});

test("those that are listed are of one run", async () => {
  const { context } = await openCase("beta.v1");
  const row = rpc("beta.v1.PlatformService/ListArtifacts");
  const { subjects, request } = await context.setup.listed(row);
  const reply = context.needs(await context.call(row, request));
  expect(subjects.map(({ record }) => record)).toEqual(reply.artifacts);
  expect(subjects.length).toBeGreaterThan(0);
});

test("where a run leaves none the case is unproven", async () => {
  const decoration = replying("beta.v1.PlatformService/ListArtifacts", () => ({ artifacts: [] }));
  const { context } = await openCase("beta.v1", { decoration, target: changing({ patience: { settleMs: 500 } }) });
  await expect(context.setup.fresh("artifact")).rejects.toThrow("needs an artifact; beta.inputs.artifact made none");
});
