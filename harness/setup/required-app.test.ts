import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import { failing, openCase } from "./case.testing.ts";
import { findRecord, listAll } from "./listing.ts";
import { appFields } from "./required-app.ts";

const listJobs = rpc("alpha.v1.JobService/ListJobs");

/** A case on a server that refuses the listings of jobs that do not pass. */
function caseWhere(passes: (request: JsonObject) => boolean) {
  const request = (json: JsonObject, { row }: { readonly row: RpcRow }) =>
    row.name !== listJobs.name || passes(json) ? json : { ...json, workspaceId: null };
  return openCase("alpha.v1", { decoration: { request } });
}

const hasApp = ({ miniAppId }: JsonObject) => miniAppId !== undefined && miniAppId !== "";

test("a listing that is served without a mini app may leave it out, which is asked once and takes no job", async () => {
  const { context, asked } = await openCase("alpha.v1");
  expect(await appFields(context, listJobs)).toEqual({});
  const { length } = asked;
  expect(await appFields(context, listJobs)).toEqual({});
  expect(asked).toHaveLength(length);
  expect(asked.filter(({ rpc: name }) => name.endsWith("/RunAsync"))).toEqual([]);
});

test("nothing is asked of a listing that is not by mini app", async () => {
  const { context, asked } = await openCase("alpha.v1");
  expect(await appFields(context, rpc("alpha.v1.SecretService/ListSecrets"))).toEqual({});
  expect(await appFields(context, rpc("alpha.v1.JobService/GetJob"))).toEqual({});
  expect(asked).toEqual([]);
});

test("where a mini app has to be asked for, requests and whole listings ask for the jobs' own", async () => {
  const { context } = await caseWhere(hasApp);
  const { setup } = context;
  const job = await setup.fresh("job");
  const own = { miniAppId: job.record.miniAppId };
  expect(await appFields(context, listJobs)).toEqual(own);
  expect(await setup.request(listJobs, job)).toMatchObject(own);
  expect((await setup.listed(listJobs)).request).toMatchObject(own);
  const { records, complete } = await listAll(context, listJobs, setup.tenant());
  expect(complete).toBe(true);
  expect(findRecord(records, listJobs, job.id)).toBeDefined();
});

test("a mini app and a state that both have to be asked for are told from each other", async () => {
  const { context } = await caseWhere((request) => hasApp(request) && request.state !== undefined);
  const request = await context.setup.request(listJobs, await context.setup.fresh("job"));
  expect(request).toMatchObject({ miniAppId: expect.any(String), state: "JOB_STATE_SUCCEEDED" });
});

test("a listing that is refused whatever it asks for, or fails, requires no mini app", async () => {
  const refusing = await caseWhere(() => false);
  expect(await appFields(refusing.context, listJobs)).toEqual({});
  const broken = await openCase("alpha.v1", { decoration: failing(listJobs.name) });
  expect(await appFields(broken.context, listJobs)).toEqual({});
});
