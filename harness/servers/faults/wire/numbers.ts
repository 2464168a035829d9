import { Effect } from "../../../../proto/rpcs.ts";
import { changedReply, inReply } from "../edit.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { asText } from "../values.ts";

/** Integers and enums in another form. */
export const numberFaults: readonly Fault[] = faultsOf("wire", "alpha.v1", {
  "*.wire.int64": {
    "GetSecret-int64-as-number": ["a version is a number", inReply("secret.resourceVersion", Number)],
    "CreateArtifactUpload-int64-as-number-of-six-digits": [
      "sizes of six digits are numbers",
      inReply("artifact.sizeBytes", (value) => (/^\d{6}$/.test(String(value)) ? Number(value) : value)),
    ],
    "ListArtifacts-int64-as-number-in-list": ["sizes are numbers", inReply("artifacts[].sizeBytes", Number)],
    "ListArtifacts-int64-as-number-where-large": [
      "sizes from 100,000 on are numbers",
      inReply("artifacts[].sizeBytes", (value) => (Number(value) >= 100_000 ? Number(value) : value)),
    ],
    "ListJobs-int64-padded": [
      "a version has leading zeros",
      inReply("jobs[].resourceVersion", (value) => `000${value}`),
    ],
    "GetWebhookEndpoint-int64-with-point": [
      "a version has a decimal point",
      inReply("endpoint.resourceVersion", (value) => `${value}.0`),
    ],
    "GetMiniApp-int64-nested-as-number": [
      "a constraint is a number",
      inReply("miniApp.artifactConstraints.maximumObjectSizeBytes", Number),
    ],
    "WatchJob-int64-hexadecimal": ["a version is hexadecimal", inReply("job.resourceVersion", (value) => `0x${value}`)],
  },
  "json.reply.range": {
    "GetArtifact-uint64-negative": ["a size is negative", inReply("artifact.sizeBytes", () => "-1")],
    "ListMiniApps-uint64-too-large": [
      "a size is past 64 bits",
      inReply("miniApps[].artifactConstraints.maximumObjectSizeBytes", () => "18446744073709551616"),
    ],
    "RedeliverWebhookDelivery-uint32-too-large": [
      "a status is past 32 bits",
      inReply("delivery.attemptCount", () => 4_294_967_296),
    ],
    "GetMiniApp-uint32-fraction": ["a count has a fraction", inReply("miniApp.maximumAttempts", () => 2.5)],
    "ListMiniApps-uint32-negative": [
      "a count is negative",
      inReply("miniApps[].artifactConstraints.maximumInputCount", () => -1),
    ],
  },
  "*.wire.u32": {
    "GetJob-uint32-as-text": ["a count is a string", inReply("job.attemptCount", asText)],
    "ListWebhookDeliveries-uint32-as-text-in-list": [
      "counts are strings",
      inReply("deliveries[].attemptCount", asText),
    ],
    "RunStream-uint32-as-text-in-stream": ["a sequence is a string", inReply("sequence", asText)],
  },
  "*.wire.enum": {
    "ListJobs-enum-as-number": ["a state is its number", inReply("jobs[].state", () => 4)],
    "GetArtifact-enum-unprefixed": [
      "a state lacks its prefix",
      inReply("artifact.state", (value) => String(value).replace("ARTIFACT_STATE_", "")),
    ],
    "CancelJob-enum-lower-case": [
      "a state is in lower case",
      inReply("job.state", (value) => String(value).toLowerCase()),
    ],
    "RedeliverWebhookDelivery-enum-undeclared": [
      "a state is none of the declared",
      inReply("delivery.state", () => "WEBHOOK_DELIVERY_STATE_LOST"),
    ],
    "ListMiniApps-enum-nested-as-number": [
      "an execution mode is its number",
      inReply("miniApps[].operations[].executionMode", () => 1),
    ],
    "ListArtifacts-enum-of-another-type": [
      "a state is spelled as another resource's",
      inReply("artifacts[].state", () => "JOB_STATE_RUNNING"),
    ],
  },
});

/** The version as a number in the replies of each RPC that changes something: what a client sends back next. */
export const versionNumbers: readonly Fault[] = faultsAt(
  rowsOf("alpha.v1").filter(
    (row) => row.record !== undefined && (row.effect === Effect.CREATE || row.effect === Effect.UPDATE),
  ),
  {
    id: "wire/version-as-number",
    says: "returns the version as a number",
    breaks: "*.wire.int64",
    decorate: (row) => changedReply(row.name, `${row.record?.name}.resourceVersion`, Number),
  },
);
