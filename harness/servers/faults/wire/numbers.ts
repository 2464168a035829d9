import type { JsonValue } from "@bufbuild/protobuf";
import { Effect, rpcs } from "../../../../proto/rpcs.ts";
import { changedReply } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";
import { formFaults } from "./form-fault.ts";

const text = (value: JsonValue) => String(value);

/** Integers and enums in another form. */
export const numberFaults: readonly Fault[] = formFaults([
  // 64-bit integers
  [
    "int64-as-number",
    "a version is a number",
    "alpha.wire.int64",
    "SecretService/GetSecret",
    "secret.resourceVersion",
    Number,
  ],
  [
    "int64-as-number-in-list",
    "sizes are numbers",
    "alpha.wire.int64",
    "ArtifactService/ListArtifacts",
    "artifacts[].sizeBytes",
    Number,
  ],
  [
    "int64-padded",
    "a version has leading zeros",
    "alpha.wire.int64",
    "JobService/ListJobs",
    "jobs[].resourceVersion",
    (value) => `000${value}`,
  ],
  [
    "int64-with-point",
    "a version has a decimal point",
    "alpha.wire.int64",
    "WebhookService/GetWebhookEndpoint",
    "endpoint.resourceVersion",
    (value) => `${value}.0`,
  ],
  [
    "int64-nested-as-number",
    "a constraint is a number",
    "alpha.wire.int64",
    "CatalogService/GetMiniApp",
    "miniApp.artifactConstraints.maximumObjectSizeBytes",
    Number,
  ],
  [
    "int64-hexadecimal",
    "a version is hexadecimal",
    "alpha.wire.int64",
    "JobService/WatchJob",
    "job.resourceVersion",
    (value) => `0x${value}`,
  ],
  [
    "uint64-negative",
    "a size is negative",
    "json.reply.range",
    "ArtifactService/GetArtifact",
    "artifact.sizeBytes",
    () => "-1",
  ],
  [
    "uint64-too-large",
    "a size is past 64 bits",
    "json.reply.range",
    "CatalogService/ListMiniApps",
    "miniApps[].artifactConstraints.maximumObjectSizeBytes",
    () => "18446744073709551616",
  ],
  // 32-bit integers
  ["uint32-as-text", "a count is a string", "alpha.wire.u32", "JobService/GetJob", "job.attemptCount", text],
  [
    "uint32-as-text-in-list",
    "counts are strings",
    "alpha.wire.u32",
    "WebhookService/ListWebhookDeliveries",
    "deliveries[].attemptCount",
    text,
  ],
  [
    "uint32-as-text-in-stream",
    "a sequence is a string",
    "alpha.wire.u32",
    "PublicTestFixtureService/RunStream",
    "sequence",
    text,
  ],
  [
    "uint32-too-large",
    "a status is past 32 bits",
    "json.reply.range",
    "WebhookService/RedeliverWebhookDelivery",
    "delivery.attemptCount",
    () => 4_294_967_296,
  ],
  [
    "uint32-fraction",
    "a count has a fraction",
    "json.reply.range",
    "CatalogService/GetMiniApp",
    "miniApp.maximumAttempts",
    () => 2.5,
  ],
  [
    "uint32-negative",
    "a count is negative",
    "json.reply.range",
    "CatalogService/ListMiniApps",
    "miniApps[].artifactConstraints.maximumInputCount",
    () => -1,
  ],
  // Enums
  ["enum-as-number", "a state is its number", "alpha.wire.enum", "JobService/ListJobs", "jobs[].state", () => 4],
  [
    "enum-unprefixed",
    "a state lacks its prefix",
    "alpha.wire.enum",
    "ArtifactService/GetArtifact",
    "artifact.state",
    (value) => text(value).replace("ARTIFACT_STATE_", ""),
  ],
  [
    "enum-lower-case",
    "a state is in lower case",
    "alpha.wire.enum",
    "JobService/CancelJob",
    "job.state",
    (value) => text(value).toLowerCase(),
  ],
  [
    "enum-undeclared",
    "a state is none of the declared",
    "alpha.wire.enum",
    "WebhookService/RedeliverWebhookDelivery",
    "delivery.state",
    () => "WEBHOOK_DELIVERY_STATE_LOST",
  ],
  [
    "enum-nested-as-number",
    "an execution mode is its number",
    "alpha.wire.enum",
    "CatalogService/ListMiniApps",
    "miniApps[].operations[].executionMode",
    () => 1,
  ],
  [
    "enum-of-another-type",
    "a state is spelled as another resource's",
    "alpha.wire.enum",
    "ArtifactService/ListArtifacts",
    "artifacts[].state",
    () => "JOB_STATE_RUNNING",
  ],
]);

/** The version as a number in the replies of each RPC that changes something: what a client sends back next. */
export const versionNumbers: readonly Fault[] = rpcs
  .filter((row) => row.package === "alpha.v1" && row.record !== undefined)
  .filter((row) => row.effect === Effect.CREATE || row.effect === Effect.UPDATE)
  .map((row) =>
    defineFault({
      id: `wire/${row.method}-version-as-number`,
      says: `${row.method} returns the version as a number`,
      breaks: "alpha.wire.int64",
      rpc: row.name,
      decoration: changedReply(row.name, `${row.record?.name}.resourceVersion`, Number),
    }),
  );
