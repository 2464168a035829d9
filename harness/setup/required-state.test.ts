import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type RpcRow, rpc } from "../../proto/rpcs.ts";
import { failing, openCase } from "./case.testing.ts";
import { findRecord, listAll } from "./listing.ts";
import { requiredState, withoutState } from "./required-state.ts";

const listJobs = rpc("alpha.v1.JobService/ListJobs");

/** A case on a server that refuses the listings of jobs that do not pass. */
function caseWhere(passes: (request: JsonObject) => boolean) {
  const request = (json: JsonObject, { row }: { readonly row: RpcRow }) =>
    row.name !== listJobs.name || passes(json) ? json : { ...json, workspaceId: null };
  return openCase("alpha.v1", { decoration: { request } });
}

const hasState = ({ state }: JsonObject) => state !== undefined;
const pageSizeOf = ({ page }: JsonObject) => (page as { pageSize?: number } | undefined)?.pageSize ?? 0;

test("a listing that is served without a state may leave it out, which is asked once", async () => {
  const { context, asked } = await openCase("alpha.v1");
  expect(await requiredState(context, listJobs)).toBeUndefined();
  expect(await requiredState(context, listJobs)).toBeUndefined();
  // The usual size of pages is asked for once, of another listing; with a state, whether the mini app may be left out.
  const ofJobs = asked.filter(({ rpc: name }) => name === listJobs.name);
  expect(ofJobs.map(({ request }) => hasState(request))).toEqual([true, false]);
});

test("nothing is asked of a listing that has no filter by state", async () => {
  const { context, asked } = await openCase("alpha.v1");
  expect(await requiredState(context, rpc("alpha.v1.SecretService/ListSecrets"))).toBeUndefined();
  expect(asked).toEqual([]);
});

test("a listing that is refused without a state and served with one has to ask for it", async () => {
  const { context, asked } = await caseWhere(hasState);
  const required = await requiredState(context, listJobs);
  expect(required?.name).toBe("state");
  expect(required?.states).toContain("JOB_STATE_SUCCEEDED");
  expect(required?.states).not.toContain("JOB_STATE_UNSPECIFIED");
  const { length } = asked;
  await requiredState(context, listJobs);
  expect(asked).toHaveLength(length);
});

test("a server that is particular about the size of pages too is understood", async () => {
  const { context } = await caseWhere((request) => hasState(request) && pageSizeOf(request) === 5);
  expect(await requiredState(context, listJobs)).toBeDefined();
  const sized = await caseWhere((request) => pageSizeOf(request) === 5);
  expect(await requiredState(sized.context, listJobs)).toBeUndefined();
});

test("a listing that is refused whatever it asks for, or fails, requires no state", async () => {
  const refusing = await caseWhere(() => false);
  expect(await requiredState(refusing.context, listJobs)).toBeUndefined();
  const broken = await openCase("alpha.v1", { decoration: failing(listJobs.name) });
  expect(await requiredState(broken.context, listJobs)).toBeUndefined();
});

test("where a state has to be asked for, a request asks for the subject's, and a whole listing for each", async () => {
  const { context } = await caseWhere(hasState);
  const { setup } = context;
  const [ended, running] = await Promise.all([setup.fresh("job"), setup.fresh("job:running")]);
  const request = await setup.request(listJobs, ended);
  expect(request).toMatchObject({ state: "JOB_STATE_SUCCEEDED" });
  expect(await setup.request(listJobs, undefined)).toMatchObject({ state: "JOB_STATE_QUEUED" });
  const { records, complete } = await listAll(context, listJobs, withoutState(listJobs, request));
  expect(complete).toBe(true);
  for (const { id } of [ended, running]) {
    expect(records.filter((record) => findRecord([record], listJobs, id) !== undefined)).toHaveLength(1);
  }
  const narrow = await listAll(context, listJobs, request);
  expect(findRecord(narrow.records, listJobs, ended.id)).toBeDefined();
  expect(findRecord(narrow.records, listJobs, running.id)).toBeUndefined();
});

test("where no state has to be asked for, none is", async () => {
  const { context } = await openCase("alpha.v1");
  const request = await context.setup.request(listJobs, await context.setup.fresh("job"));
  expect(request).not.toHaveProperty("state");
  expect(withoutState(listJobs, { ...request, state: "JOB_STATE_QUEUED" })).toEqual(request);
});
