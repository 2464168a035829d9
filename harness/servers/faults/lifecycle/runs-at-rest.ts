import type { JsonObject } from "@bufbuild/protobuf";
import { type Change, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop, textIn, without } from "../values.ts";

/** Changes each record of a listing that is in a state; one that is undefined then is left out. */
const changing = (list: string, state: string, change: (record: JsonObject) => JsonObject | undefined) => {
  const one: Change = (record) =>
    textIn(record as JsonObject, "state") === `RUN_STATE_${state}` ? change(record as JsonObject) : record;
  return inReply(`${list}[]`, one);
};

/** Leaves out of a listing what is in a state. */
const hiding = (list: string, state: string) => changing(list, state, () => undefined);

/** Listings that are right of runs that succeeded or failed. */
export const runsAtRest: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.paging.traversal": {
    "ListRuns-hides-unknown-outcomes": ["lists no run of unknown outcome", hiding("runs", "OUTCOME_UNKNOWN")],
    "ListRuns-hides-canceled": ["lists no canceled run", hiding("runs", "CANCELED")],
    "ListJobs-hides-canceled": ["lists no job of a canceled run", hiding("jobs", "CANCELED")],
    "ListJobs-hides-awaiting": ["lists no job of a run that awaits approval", hiding("jobs", "AWAITING_APPROVAL")],
  },
  "*.records.agree": {
    "ListRuns-unknown-outcome-without-error": [
      "leaves the error of a run of unknown outcome out",
      changing("runs", "OUTCOME_UNKNOWN", (run) => without(run, "error")),
    ],
    "ListRuns-memory-warning-left-out": [
      "leaves out that a run could not remember",
      inReply("runs[].memoryWarning", drop),
    ],
    "ListJobs-canceled-made-at-its-end": [
      "dates the creation of a canceled job at its end",
      changing("jobs", "CANCELED", (job) => ({ ...job, createdAt: job.completedAt ?? null })),
    ],
  },
  "*.runs.payload": {
    "GetRunPayload-cuts-long-input": [
      "shows the first 4096 characters of an input",
      inReply("payload.input.text", (text) => String(text).slice(0, 4096)),
    ],
  },
  "*.records.echo": {
    "UpdateWebhookEndpoint-four-types": [
      "stores four types of events at most",
      inReply("webhookEndpoint.eventTypes", (types) => (Array.isArray(types) ? types.slice(0, 4) : types)),
    ],
    "CreateWebhookEndpoint-four-types": [
      "stores four types of events at most",
      inReply("webhookEndpoint.eventTypes", (types) => (Array.isArray(types) ? types.slice(0, 4) : types)),
    ],
  },
});
