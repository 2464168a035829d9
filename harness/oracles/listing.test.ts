import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgeListing } from "./listing.ts";

const first = { miniAppId: "summary" };
const other = { miniAppId: "translation" };

function breachesOf(jobs: readonly JsonObject[], request: JsonObject) {
  const reply = unaryReply("alpha.v1.JobService/ListJobs", request, { jobs: [...jobs] });
  return judgeListing(reply).map(({ clause, at }) => `${clause} ${at}`);
}

test("items that match the filter, no more than the page size, are no breach", () => {
  expect(breachesOf([first], { ...first, page: { pageSize: 1 } })).toEqual([]);
  expect(breachesOf([first, other], { page: { pageSize: 0 } })).toEqual([]);
  expect(breachesOf([other], { miniAppId: "" })).toEqual([]);
});

test("a state may change while it is listed: it is not judged by one listing", () => {
  expect(breachesOf([{ state: "JOB_STATE_RUNNING" }], { state: "JOB_STATE_QUEUED" })).toEqual([]);
});

test("finds each item that does not match, and a page that is too long", () => {
  expect(breachesOf([first, other], { ...first, page: { pageSize: 1 } })).toEqual([
    "*.filters.hold jobs[1].miniAppId",
    "*.paging.size jobs",
  ]);
});

test("a field that an item leaves out contradicts no filter", () => {
  expect(breachesOf([{}], first)).toEqual([]);
});

test("judges nothing that was refused", () => {
  const refused = unaryReply("alpha.v1.JobService/ListJobs", first, { jobs: [other] }, { status: 404 });
  expect(judgeListing(refused)).toEqual([]);
});
