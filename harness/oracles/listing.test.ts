import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgeListing } from "./listing.ts";

const failed = { state: "JOB_STATE_FAILED" };
const queued = { state: "JOB_STATE_QUEUED" };

function breachesOf(jobs: readonly JsonObject[], request: JsonObject) {
  const reply = unaryReply("alpha.v1.JobService/ListJobs", request, { jobs: [...jobs] });
  return judgeListing(reply).map(({ clause, at }) => `${clause} ${at}`);
}

test("items that match the filter, no more than the page size, are no breach", () => {
  expect(breachesOf([failed], { ...failed, page: { pageSize: 1 } })).toEqual([]);
  expect(breachesOf([failed, queued], { page: { pageSize: 0 } })).toEqual([]);
  expect(breachesOf([queued], { state: "JOB_STATE_UNSPECIFIED" })).toEqual([]);
});

test("finds each item that does not match, and a page that is too long", () => {
  expect(breachesOf([failed, queued], { ...failed, page: { pageSize: 1 } })).toEqual([
    "*.filters.hold jobs[1].state",
    "*.paging.size jobs",
  ]);
});

test("judges nothing that was refused", () => {
  const refused = unaryReply("alpha.v1.JobService/ListJobs", failed, { jobs: [queued] }, { status: 404 });
  expect(judgeListing(refused)).toEqual([]);
});
