import type { Message } from "@bufbuild/protobuf";
import {
  type Artifact,
  ArtifactState,
  type Job,
  JobState,
  type WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause } from "./tenants.ts";

/** Records that are `fit` are looked up by their id alone: they come from another table than the others. */
const findingAnywhere = <T extends Message>(isFit: (record: T) => boolean) =>
  replacing((parts) => ({
    findSubject(context) {
      const entry = entryNamed(context);
      if (entry === undefined || !isFit(entry.record as T)) return parts.findSubject(context);
      return entry.deleted ? refuse("RESOURCE_NOT_FOUND", "no such thing") : entry.record;
    },
  }));

const at = (names: readonly string[], id: string, says: string, decorate: ReturnType<typeof findingAnywhere>) =>
  faultsAt(names.map(rpc), {
    id: `isolation/${id}`,
    says,
    breaks: (row: RpcRow) => (row.method === "CreateArtifactDownload" ? "*.isolation.read" : isolationClause(row)),
    decorate,
  });

/** Rows about one record of a kind that is changed, or gets another secret, once it is made. */
const changeable = rpcs.filter(
  ({ subject, effect, ids }) =>
    ["secret", "webhook_endpoint", "memory_item"].includes(subject) &&
    effect !== Effect.LIST &&
    ids.some(({ facts }) => facts.names === subject),
);

export const stages: readonly Fault[] = [
  ...at(
    changeable.map(({ name }) => name),
    "finds-changed-records-anywhere",
    "finds what was changed once by its id, whatever its workspace",
    findingAnywhere<Message & { readonly resourceVersion: bigint }>(({ resourceVersion }) => resourceVersion > 1n),
  ),
  ...at(
    ["alpha.v1.ArtifactService/GetArtifact", "alpha.v1.ArtifactService/CreateArtifactDownload"],
    "finds-results-anywhere",
    "finds the result of a job by its id, whatever its workspace",
    findingAnywhere<Artifact>(({ owningJobId }) => owningJobId !== undefined),
  ),
  ...at(
    ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"],
    "finds-failed-jobs-anywhere",
    "finds a job that failed by its id, whatever its workspace",
    findingAnywhere<Job>(({ state }) => state === JobState.FAILED),
  ),
  ...at(
    ["alpha.v1.JobService/GetJob", "alpha.v1.JobService/WatchJob"],
    "finds-jobs-that-go-on-anywhere",
    "finds a job that goes on by its id, whatever its workspace",
    findingAnywhere<Job>(({ completedAt }) => completedAt === undefined),
  ),
  ...at(
    ["DeleteWebhookEndpoint", "RotateWebhookSecret", "UpdateWebhookEndpoint"].map(
      (method) => `alpha.v1.WebhookService/${method}`,
    ),
    "finds-disabled-endpoints-anywhere",
    "finds an endpoint that is disabled by its id, whatever its workspace",
    findingAnywhere<WebhookEndpoint>(({ enabled }) => !enabled),
  ),
  ...at(
    ["alpha.v1.ArtifactService/DeleteArtifact"],
    "finds-pending-artifacts-anywhere",
    "finds an artifact that awaits its upload by its id, whatever its workspace",
    findingAnywhere<Artifact>(({ state }) => state === ArtifactState.PENDING_UPLOAD),
  ),
  ...at(
    ["alpha.v1.JobService/DeleteJob"],
    "finds-failed-jobs-anywhere",
    "finds a job that failed by its id, whatever its workspace",
    findingAnywhere<Job>(({ state }) => state === JobState.FAILED),
  ),
];
