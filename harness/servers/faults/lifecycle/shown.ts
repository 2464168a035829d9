import type { JsonValue } from "@bufbuild/protobuf";
import { type Change, changedReply } from "../edit.ts";

import { defineFault, type Fault } from "../fault.ts";

/** A version that is nobody's. */
const elsewhere: Change = (version) => String(BigInt(version as string) + 1n);
const absent: Change = () => undefined;
const nothing: Change = () => [];

type Row = readonly [rpc: string, path: string, name: string, breaks: string, says: string, change: Change];

const carried = "alpha.versioning.carried";
const agree = "alpha.records.agree";

const versions: readonly (readonly [rpc: string, path: string])[] = [
  ["ArtifactService/CompleteArtifactUpload", "artifact"],
  ["ArtifactService/CreateArtifactDownload", "artifact"],
  ["ArtifactService/CreateArtifactUpload", "artifact"],
  ["ArtifactService/GetArtifact", "artifact"],
  ["ArtifactService/ListArtifacts", "artifacts[]"],
  ["JobService/GetJob", "job"],
  ["JobService/ListJobs", "jobs[]"],
  ["SecretService/GetSecret", "secret"],
  ["SecretService/ListSecrets", "secrets[]"],
  ["SecretService/RotateSecret", "secret"],
  ["SecretService/CreateSecret", "secret"],
  ["WebhookService/CreateWebhookEndpoint", "endpoint"],
  ["WebhookService/GetWebhookEndpoint", "endpoint"],
  ["WebhookService/RotateWebhookSecret", "endpoint"],
  ["WebhookService/ListWebhookEndpoints", "endpoints[]"],
  ["WebhookService/UpdateWebhookEndpoint", "endpoint"],
];

const rows: readonly Row[] = [
  ...versions.map(
    ([rpc, path]): Row => [
      rpc,
      `${path}.resourceVersion`,
      "another-version",
      carried,
      "shows a version the resource is not at",
      elsewhere,
    ],
  ),
  ["ArtifactService/ListArtifacts", "artifacts[].resourceVersion", "no-version", carried, "shows no versions", absent],
  ["SecretService/ListSecrets", "secrets[].resourceVersion", "no-version", carried, "shows no versions", absent],
  [
    "ArtifactService/GetArtifact",
    "artifact.state",
    "another-state",
    agree,
    "shows available artifacts as deleted",
    (state) => (state === "ARTIFACT_STATE_AVAILABLE" ? "ARTIFACT_STATE_DELETED" : state),
  ],
  [
    "ArtifactService/ListArtifacts",
    "artifacts[].state",
    "another-state",
    agree,
    "lists available artifacts as expired",
    (state) => (state === "ARTIFACT_STATE_AVAILABLE" ? "ARTIFACT_STATE_EXPIRED" : state),
  ],
  ["JobService/GetJob", "job.resultArtifactIds", "no-results", agree, "shows no result artifacts", nothing],
  ["JobService/ListJobs", "jobs[].resultArtifactIds", "no-results", agree, "lists jobs without their results", nothing],
  ["JobService/ListJobs", "jobs[].inputArtifactIds", "no-inputs", agree, "lists jobs without their inputs", nothing],
  [
    "JobService/ListJobs",
    "jobs[].terminalError.reason",
    "another-reason",
    agree,
    "lists failed jobs with a reason of no help",
    () => "ERROR_REASON_INTERNAL",
  ],
  [
    "JobService/GetJob",
    "job.terminalError.correlationId",
    "another-correlation",
    agree,
    "shows the error of a job under another correlation id",
    (id: JsonValue) => `${id}x`,
  ],
  [
    "JobService/WatchJob",
    "job.terminalError.requestId",
    "no-request-id",
    agree,
    "leaves the request out of the error of a watched job",
    absent,
  ],
  [
    "JobService/WatchJob",
    "heartbeat.emittedAt",
    "undated-heartbeat",
    "alpha.watch.heartbeat",
    "does not say when a heartbeat was emitted",
    absent,
  ],
];

/** Replies that show a resource otherwise than every other reply does. */
export const shownFaults: readonly Fault[] = [
  ...rows.map(([rpc, path, name, breaks, says, change]) =>
    defineFault({
      id: `lifecycle/${rpc.slice(rpc.indexOf("/") + 1)}-${name}`,
      says,
      breaks,
      rpc: `alpha.v1.${rpc}`,
      decoration: changedReply(`alpha.v1.${rpc}`, path, change),
    }),
  ),
  defineFault({
    id: "stream/watch-heartbeat-behind",
    says: "WatchJob sends heartbeats of the first version, whatever it has shown",
    breaks: "alpha.watch.heartbeat",
    rpc: "alpha.v1.JobService/WatchJob",
    decoration: {
      choices: { heartbeatMs: 2 },
      ...changedReply("alpha.v1.JobService/WatchJob", "heartbeat.resourceVersion", () => "1"),
    },
  }),
  defineFault({
    id: "lifecycle/GetJob-empty",
    says: "GetJob answers with an empty message",
    breaks: "alpha.endpoints.served",
    rpc: "alpha.v1.JobService/GetJob",
    decoration: changedReply("alpha.v1.JobService/GetJob", "job", absent),
  }),
  defineFault({
    id: "lifecycle/GetSecret-empty",
    says: "GetSecret answers with an empty message",
    breaks: "alpha.endpoints.served",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: changedReply("alpha.v1.SecretService/GetSecret", "secret", absent),
  }),
];
