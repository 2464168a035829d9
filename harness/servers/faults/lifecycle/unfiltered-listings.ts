import type { JsonObject } from "@bufbuild/protobuf";
import type { ListJobsResponse } from "../../../../proto/gen/beta/v1/platform_service_pb.js";
import type { Job } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import type { BetaWorld } from "../../reference/main.ts";
import { editAt, onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { textIn } from "../values.ts";

/** Changes the records of a listing where a filter is left out; one that is undefined then is left out. */
const whereUnasked = (list: string, filter: string, change: (record: JsonObject) => JsonObject | undefined) =>
  onReply((json, { request }) => {
    const isUnasked = request[filter] === undefined || /UNSPECIFIED$/.test(textIn(request, filter));
    return isUnasked ? editAt(json, `${list}[]`, (record) => change(record as JsonObject)) : json;
  });

const isIn = (state: string) => (record: JsonObject) => textIn(record, "state").endsWith(`_STATE_${state}`);

const hiding = (list: string, filter: string, state: string) =>
  whereUnasked(list, filter, (record) => (isIn(state)(record) ? undefined : record));

/** Lists of the jobs on a page the first one of each session. */
const onePerSession = wrapping((next) => async (context, request) => {
  const reply = (await next(context, request)) as ListJobsResponse;
  const { run } = (context.world as BetaWorld).tables;
  const sessionOf = ({ runId }: Job) => idText(run.find(idText(runId))?.record.sessionId);
  return Object.assign(reply, { jobs: [...Map.groupBy(reply.jobs, sessionOf).values()].map(([first]) => first) });
});

const asPending = (state: string) =>
  whereUnasked("approvals", "state", (record) =>
    isIn(state)(record) ? { ...record, state: "APPROVAL_STATE_PENDING" } : record,
  );

/** Listings that are right of what is asked for by a filter, and wrong of the rest. */
export const unfilteredRuns: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.paging.traversal": {
    "ListRuns-hides-failed-of-all": ["lists no failed run of all sessions", hiding("runs", "sessionId", "FAILED")],
    "ListRuns-hides-awaiting-of-all": [
      "lists no run of all sessions that awaits approval",
      hiding("runs", "sessionId", "AWAITING_APPROVAL"),
    ],
    "ListRuns-hides-canceled-of-all": [
      "lists no canceled run of all sessions",
      hiding("runs", "sessionId", "CANCELED"),
    ],
    "ListJobs-one-of-a-session": ["lists one job of each session", onePerSession],
  },
  "*.records.agree": {
    "ListApprovals-rejected-as-pending": ["lists a rejected approval as pending among all", asPending("REJECTED")],
  },
});

export const unfilteredJobs: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.paging.traversal": {
    "ListJobs-hides-failed-of-all": [
      "lists no failed job where no state is asked for",
      hiding("jobs", "state", "FAILED"),
    ],
    "ListJobs-hides-canceled-of-all": [
      "lists no canceled job where no state is asked for",
      hiding("jobs", "state", "CANCELED"),
    ],
    "ListJobs-hides-running-of-all": [
      "lists no running job where no state is asked for",
      hiding("jobs", "state", "RUNNING"),
    ],
    "ListWebhookEndpoints-hides-disabled": [
      "lists no endpoint that is disabled",
      whereUnasked("endpoints", "none", (record) => (record.enabled === true ? record : undefined)),
    ],
  },
});
