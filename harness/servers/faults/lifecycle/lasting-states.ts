import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CredentialKind, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { inObject, onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { isIn } from "./states.ts";

const ends = ["SUCCEEDED", "FAILED", "CANCELED", "OUTCOME_UNKNOWN"].map(isIn);
const isEnded = (record: JsonObject) => ends.some((is) => is(record));

/** Lists what has ended alone, to a browser. */
const endedOnlyForBrowsers = (list: string) =>
  onReply((json: JsonObject, { principal }: Call) => {
    if (principal?.kind !== CredentialKind.BROWSER_TOKEN) return json;
    return { ...json, [list]: ((json[list] ?? []) as JsonValue[]).filter((one) => isEnded(one as JsonObject)) };
  });

/** Shows a record as it was a step before it came to wait. */
const stepBefore = (list: string, back: bigint) =>
  inObject(`${list}[]`, (record) =>
    isIn("AWAITING_APPROVAL")(record)
      ? {
          ...record,
          state: "RUN_STATE_RUNNING",
          resourceVersion: String(BigInt(String(record.resourceVersion)) - back),
        }
      : record,
  );

/** Shows the version a record was first read at as long as it goes on. */
const firstVersionWhileItGoesOn = (row: RpcRow) => {
  const first = new Map<string, JsonValue>();
  return inObject("job", (job) => {
    const id = JSON.stringify(job.jobId);
    if (!first.has(id)) first.set(id, job.resourceVersion ?? "0");
    return isEnded(job) ? job : { ...job, resourceVersion: first.get(id) ?? "0" };
  })(row);
};

/** Shows the first version of all as long as a record goes on. */
const versionOneWhileItGoesOn = inObject("job", (job) => (isEnded(job) ? job : { ...job, resourceVersion: "1" }));

/** Wrong of work that goes on, and right once it has ended. */
export const lastingStates: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.paging.traversal": {
    "ListRuns-ended-only-for-browsers": ["lists no run that goes on to a browser", endedOnlyForBrowsers("runs")],
    "ListJobs-ended-only-for-browsers": ["lists no job that goes on to a browser", endedOnlyForBrowsers("jobs")],
  },
  "*.records.agree": {
    "ListRuns-awaiting-as-running": ["lists a run that awaits approval as running", stepBefore("runs", 0n)],
    "ListRuns-awaiting-a-step-behind": ["lists a run that awaits approval as it was before", stepBefore("runs", 1n)],
    "ListJobs-awaiting-a-step-behind": [
      "lists the job of a run that awaits approval as before",
      stepBefore("jobs", 1n),
    ],
    "GetJob-one-version-while-it-goes-on": [
      "shows the version that was read first as long as the run goes on",
      firstVersionWhileItGoesOn,
    ],
    "GetJob-first-version-while-it-goes-on": [
      "shows the first version of all as long as the run goes on",
      versionOneWhileItGoesOn,
    ],
  },
});
