import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { changing, openCase } from "./case.testing.ts";
import { blindRequest, fillRequest } from "./filled-request.ts";

const runAsync = rpc("alpha.v1.PublicTestFixtureService/RunAsync");

test("every field that can be filled is: lists of ids, filters, pages, positions", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup, call } = context;
  const filled = await fillRequest(setup, runAsync, await setup.request(runAsync, undefined), undefined);
  expect(filled.secretIds).toEqual([(await setup.shared("secret")).id]);
  expect((await call(runAsync, filled)).outcome).toBe("served");
  const job = await setup.shared("job");
  const [list, watch] = [rpc("alpha.v1.JobService/ListJobs"), rpc("alpha.v1.JobService/WatchJob")];
  expect(await fillRequest(setup, list, {}, job)).toMatchObject({
    page: { pageSize: 3, cursor: "" },
    miniAppId: job.record.miniAppId,
    state: job.record.state,
  });
  const small = await fillRequest(setup, list, { page: { pageSize: 2, cursor: "" } }, job);
  expect(small.page).toEqual({ pageSize: 2, cursor: "" });
  expect(await fillRequest(setup, watch, {}, job)).toMatchObject({ afterResourceVersion: "0" });
});

test("what the target file cannot provide is left out", async () => {
  const { setup } = (await openCase("alpha.v1", { target: changing({ "alpha.miniAppIds": [] }) })).context;
  const filled = await fillRequest(setup, runAsync, {}, undefined);
  expect(filled.inputArtifactIds).toBeUndefined();
  expect(filled.secretIds).toHaveLength(1);
});

test("a blind request names nothing that exists", async () => {
  const { setup } = (await openCase("alpha.v1")).context;
  const blind = blindRequest(rpc("alpha.v1.JobService/GetJob"), setup.requestId);
  expect(Object.keys(blind).toSorted()).toEqual(["jobId", "workspaceId"]);
  expect(blind.jobId).not.toEqual(blind.workspaceId);
});
