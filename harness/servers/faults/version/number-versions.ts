import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { type Artifact, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";

/** Versions that are checked where they are sent as text. */
export const numberVersions: readonly Fault[] = faultsAt(conditional, {
  id: "version/unchecked-as-a-number",
  says: "checks no expected version that is sent as a bare number",
  breaks: "*.versioning.expected",
  decorate: unlookedAt(({ row, call }) => typeof call.request[row.expectedVersion?.name ?? ""] === "number"),
});

const isLong = (value: unknown) => typeof value === "string" && value.length > 4096;

export const longSecrets: readonly Fault[] = faultsAt(
  conditional.filter(({ writeOnly }) => writeOnly.length > 0),
  {
    id: "version/unchecked-where-long",
    says: "checks no expected version where the secret is long",
    breaks: "*.versioning.expected",
    decorate: unlookedAt(({ row, call }) => row.writeOnly.some(({ name }) => isLong(call.request[name]))),
  },
);

export const emptyArtifacts: readonly Fault[] = faultsAt([rpc("alpha.v1.ArtifactService/DeleteArtifact")], {
  id: "version/unchecked-where-empty",
  says: "checks no version of an artifact of no bytes",
  breaks: "*.versioning.expected",
  decorate: unlookedAt(({ subject }) => (subject as Artifact | undefined)?.sizeBytes === 0n),
});

/** A cancellation shows the version that the job had before. */
const showingVersionBefore = around(JobService.method.cancelJob, (next) => async (context, request) => {
  const reply = await next(context, request);
  if (reply.job?.state === JobState.CANCELING) reply.job.resourceVersion -= 1n;
  return reply;
});

export const versionsBefore: readonly Fault[] = faultsOf("version", "alpha.v1", {
  "*.records.agree": {
    "CancelJob-shows-the-version-before": [
      "shows a job that is being canceled at the version it had before",
      { handlers: showingVersionBefore },
      { also: ["*.versioning.carried", "*.versioning.advances"] },
    ],
  },
});
