import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { GetArtifactResponse } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import type { Job } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { inReply, onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** The record of an artifact that a job results in, changed. */
const ofResults = (change: (artifact: JsonObject) => JsonObject) => (artifact: JsonValue | undefined) => {
  const record = artifact as JsonObject;
  return record.owningJobId === undefined ? record : change(record);
};

/** Shows a byte more of the results of a job after the first. */
const ofLaterResults = wrapping((next) => async (context, request) => {
  const reply = (await next(context, request)) as GetArtifactResponse;
  const { artifact } = reply;
  const job = context.world.tables.job?.find(artifact?.owningJobId?.value ?? "")?.record as Job | undefined;
  const isLater = job?.resultArtifactIds.slice(1).some(({ value }) => value === artifact?.id?.value) === true;
  return artifact === undefined || !isLater
    ? reply
    : { ...reply, artifact: { ...artifact, sizeBytes: artifact.sizeBytes + 1n } };
});

/** Leaves jobs with results out where a state is asked for: a join that finds no row, or one too many. */
const withoutResults = onReply((json, { request }) => {
  const jobs = Array.isArray(json.jobs) ? (json.jobs as JsonObject[]) : [];
  return request.state === undefined
    ? json
    : { ...json, jobs: jobs.filter((job) => job.resultArtifactIds === undefined) };
});

/** Leaves canceled jobs out where no state is asked for, as if they were gone. */
const withoutCanceled = onReply((json, { request }) => {
  const jobs = Array.isArray(json.jobs) ? (json.jobs as JsonObject[]) : [];
  return request.state === undefined
    ? { ...json, jobs: jobs.filter((job) => job.state !== "JOB_STATE_CANCELED") }
    : json;
});

export const resultRecords: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.filters.complete": {
    "ListJobs-by-state-without-results": ["leaves jobs with results out of listings by state", withoutResults],
    "ListJobs-canceled-by-their-state-alone": ["lists canceled jobs by that state alone", withoutCanceled],
  },
  "*.records.agree": {
    "GetArtifact-results-of-a-byte-more": [
      "shows a byte more of an artifact that a job results in",
      inReply(
        "artifact",
        ofResults((one) => ({ ...one, sizeBytes: String(BigInt(String(one.sizeBytes)) + 1n) })),
      ),
    ],
    "GetArtifact-second-result-of-a-byte-more": [
      "shows a byte more of what a job results in beside its first artifact",
      ofLaterResults,
    ],
    "ListArtifacts-results-without-type": [
      "does not show the type of an artifact that a job results in",
      inReply(
        "artifacts[]",
        ofResults(({ mimeType: _, ...others }) => others),
      ),
    ],
    "CreateArtifactDownload-results-renamed": [
      "shows another name of an artifact that a job results in",
      inReply(
        "artifact",
        ofResults((one) => ({ ...one, name: `${String(one.name)}.bin` })),
      ),
    ],
  },
});
