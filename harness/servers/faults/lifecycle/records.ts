import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { rpc as rowOf } from "../../../../proto/rpcs.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply, editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";
import { type Contradiction, contradict, drop, more, remembering, rename, shift } from "./contradictions.ts";

/** One field of one RPC's records, shown otherwise than every other reply shows it. */
const contradictions: readonly Contradiction[] = [
  ["SecretService/CreateSecret", "secret.createdAt", "later", "dates the secret later than GetSecret does", shift],
  ["SecretService/GetSecret", "secret.name", "renamed", "shows another name than was stored", rename],
  ["SecretService/GetSecret", "secret.updatedAt", "dropped", "leaves updatedAt out", drop],
  ["SecretService/ListSecrets", "secrets[].createdAt", "later", "dates secrets later than they were made", shift],
  ["SecretService/RotateSecret", "secret.updatedAt", "later", "dates the change later than GetSecret does", shift],
  ["ArtifactService/CreateArtifactUpload", "artifact.expiresAt", "dropped", "leaves expiresAt out", drop],
  [
    "ArtifactService/CompleteArtifactUpload",
    "artifact.expiresAt",
    "later",
    "shows a later expiry than is stored",
    shift,
  ],
  [
    "ArtifactService/CreateArtifactDownload",
    "artifact.mimeType",
    "renamed",
    "shows another type than is stored",
    rename,
  ],
  ["ArtifactService/CreateArtifactDownload", "artifact.sizeBytes", "more", "shows a byte more than is stored", more],
  ["ArtifactService/GetArtifact", "artifact.sizeBytes", "dropped", "leaves sizeBytes out", drop],
  ["ArtifactService/GetArtifact", "artifact.expiresAt", "later", "shows a later expiry than was given", shift],
  ["ArtifactService/ListArtifacts", "artifacts[].mimeType", "renamed", "shows another type than is stored", rename],
  ["ArtifactService/ListArtifacts", "artifacts[].sha256Hex", "zeros", "shows a digest of zeros", () => "0".repeat(64)],
  ["WebhookService/CreateWebhookEndpoint", "endpoint.createdAt", "later", "dates the endpoint later", shift],
  ["WebhookService/GetWebhookEndpoint", "endpoint.enabled", "dropped", "shows enabled endpoints as disabled", drop],
  [
    "WebhookService/GetWebhookEndpoint",
    "endpoint.url",
    "cut",
    "shows the url without its path",
    (url) => new URL(String(url)).origin,
  ],
  [
    "WebhookService/ListWebhookEndpoints",
    "endpoints[].enabled",
    "dropped",
    "shows enabled endpoints as disabled",
    drop,
  ],
  ["WebhookService/ListWebhookEndpoints", "endpoints[].name", "renamed", "shows other names than are stored", rename],
  ["WebhookService/UpdateWebhookEndpoint", "endpoint.createdAt", "later", "moves createdAt with an update", shift],
  [
    "WebhookService/RotateWebhookSecret",
    "endpoint.updatedAt",
    "later",
    "dates the rotation later than Get does",
    shift,
  ],
  ["WebhookService/RedeliverWebhookDelivery", "delivery.createdAt", "later", "moves createdAt of the delivery", shift],
  ["JobService/GetJob", "job.attemptCount", "more", "counts an attempt more than the listing", more],
  ["JobService/GetJob", "job.updatedAt", "dropped", "leaves updatedAt out", drop],
  ["JobService/ListJobs", "jobs[].procedure", "renamed", "shows another procedure than GetJob", rename],
  ["JobService/ListJobs", "jobs[].progressPercent", "dropped", "leaves progressPercent out", drop],
  ["JobService/WatchJob", "job.attemptCount", "more", "counts an attempt more than GetJob", more],
  ["JobService/CancelJob", "job.procedure", "renamed", "shows another procedure than GetJob", rename],
  ["PublicTestFixtureService/RunAsync", "job.createdAt", "later", "dates the job later than GetJob does", shift],
  ["PublicTestFixtureService/RunAsync", "job.procedure", "renamed", "shows another procedure than GetJob", rename],
  ["CatalogService/GetMiniApp", "miniApp.displayName", "renamed", "shows another name than the listing", rename],
  ["CatalogService/GetMiniApp", "miniApp.operations", "dropped", "leaves the operations out", drop],
  [
    "CatalogService/ListMiniApps",
    "miniApps[].description",
    "renamed",
    "describes mini apps otherwise than GetMiniApp",
    rename,
  ],
  ["CatalogService/ListMiniApps", "miniApps[].maximumAttempts", "more", "allows an attempt more than GetMiniApp", more],
];

const disagreeing = contradictions.map((one) => {
  const { id, ...fault } = contradict("alpha.v1", one);
  return defineFault({ id: `lifecycle/${id}`, breaks: "alpha.records.agree", ...fault });
});

const stale = ["SecretService/GetSecret", "WebhookService/GetWebhookEndpoint", "ArtifactService/GetArtifact"].map(
  (name) =>
    defineFault({
      id: `lifecycle/${name.split("/")[1]}-stale`,
      says: `${name} goes on showing what it showed first`,
      breaks: "alpha.records.agree",
      rpc: `alpha.v1.${name}`,
      decoration: remembering(rowOf(`alpha.v1.${name}`)),
    }),
);

/** An update that answers as if it had stored a field, and has not. */
function forgetting(field: string, kept: JsonValue): AlphaDecoration {
  const update = "alpha.v1.WebhookService/UpdateWebhookEndpoint";
  const stored = new Map<string, JsonValue>();
  const keyOf = (id: JsonValue | undefined) => JSON.stringify(id ?? null);
  return {
    request: forRpc(update, (json: JsonObject) => ({ ...json, [field]: stored.get(keyOf(json.endpointId)) ?? kept })),
    reply(json, call) {
      const endpoint = (json.endpoint ?? {}) as JsonObject;
      if (call.rpc === "alpha.v1.WebhookService/CreateWebhookEndpoint") {
        stored.set(keyOf(endpoint.id), endpoint[field] ?? kept);
      }
      if (call.rpc !== update) return json;
      return editAt(
        { ...json, endpoint: { ...endpoint, [field]: true } },
        `endpoint.${field}`,
        () => call.request[field],
      );
    },
  };
}

const forgotten = [
  ["name", ""],
  ["url", ""],
  ["enabled", true],
].map(([field, kept]) =>
  defineFault({
    id: `lifecycle/UpdateWebhookEndpoint-forgets-${String(field)}`,
    says: `UpdateWebhookEndpoint answers with the new ${String(field)} and stores the old one`,
    breaks: "alpha.records.echo",
    rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
    decoration: forgetting(String(field), kept ?? ""),
  }),
);

type Broken = readonly [id: string, rpc: string, breaks: string, says: string, decoration: AlphaDecoration];

const others: readonly Broken[] = [
  [
    "CreateSecret-another-name",
    "SecretService/CreateSecret",
    "alpha.records.echo",
    "answers with another name than was sent",
    changedReply("alpha.v1.SecretService/CreateSecret", "secret.name", rename),
  ],
  [
    "CreateWebhookEndpoint-another-url",
    "WebhookService/CreateWebhookEndpoint",
    "alpha.records.echo",
    "answers with another url than was sent",
    changedReply("alpha.v1.WebhookService/CreateWebhookEndpoint", "endpoint.url", rename),
  ],
  [
    "RotateSecret-renames",
    "SecretService/RotateSecret",
    "alpha.records.echo",
    "answers with another name than the secret has",
    changedReply("alpha.v1.SecretService/RotateSecret", "secret.name", rename),
  ],
  [
    "RotateWebhookSecret-disables",
    "WebhookService/RotateWebhookSecret",
    "alpha.records.echo",
    "answers with a disabled endpoint",
    changedReply("alpha.v1.WebhookService/RotateWebhookSecret", "endpoint.enabled", () => false),
  ],
  [
    "CompleteArtifactUpload-renames",
    "ArtifactService/CompleteArtifactUpload",
    "alpha.records.echo",
    "answers with another name than was declared",
    changedReply("alpha.v1.ArtifactService/CompleteArtifactUpload", "artifact.name", rename),
  ],
  [
    "RotateSecret-undated",
    "SecretService/RotateSecret",
    "alpha.records.filled",
    "does not say when the secret was changed",
    changedReply("alpha.v1.SecretService/RotateSecret", "secret.updatedAt", drop),
  ],
  [
    "UpdateWebhookEndpoint-undated",
    "WebhookService/UpdateWebhookEndpoint",
    "alpha.records.filled",
    "does not say when the endpoint was changed",
    changedReply("alpha.v1.WebhookService/UpdateWebhookEndpoint", "endpoint.updatedAt", drop),
  ],
  [
    "GetSecret-unnamed",
    "SecretService/GetSecret",
    "alpha.records.filled",
    "leaves the name out",
    changedReply("alpha.v1.SecretService/GetSecret", "secret.name", drop),
  ],
  [
    "ListArtifacts-without-id",
    "ArtifactService/ListArtifacts",
    "alpha.records.filled",
    "leaves the ids of the listed out",
    changedReply("alpha.v1.ArtifactService/ListArtifacts", "artifacts[].id", drop),
  ],
  [
    "GetJob-another-job",
    "JobService/GetJob",
    "alpha.records.identity",
    "shows the id of another job",
    changedReply("alpha.v1.JobService/GetJob", "job.id", () => ({ value: "01890a5d-ac96-774b-bcce-b302099a8057" })),
  ],
  [
    "GetArtifact-another-workspace",
    "ArtifactService/GetArtifact",
    "alpha.records.identity",
    "shows another workspace than was asked for",
    changedReply("alpha.v1.ArtifactService/GetArtifact", "artifact.workspaceId", () => ({
      value: "01890a5d-ac96-774b-bcce-b302099a8057",
    })),
  ],
  [
    "RotateSecret-before-it-was-made",
    "SecretService/RotateSecret",
    "alpha.records.times",
    "dates the change before the secret was made",
    changedReply("alpha.v1.SecretService/RotateSecret", "secret.updatedAt", () => "2001-01-01T00:00:00Z"),
  ],
  [
    "GetArtifact-unspecified-state",
    "ArtifactService/GetArtifact",
    "alpha.enums.specified",
    "shows no state",
    changedReply("alpha.v1.ArtifactService/GetArtifact", "artifact.state", () => "ARTIFACT_STATE_UNSPECIFIED"),
  ],
];

const wrongRecords = others.map(([id, name, breaks, says, decoration]) =>
  defineFault({ id: `lifecycle/${id}`, says: `${name} ${says}`, breaks, rpc: `alpha.v1.${name}`, decoration }),
);

export const recordFaults: readonly Fault[] = [...disagreeing, ...stale, ...forgotten, ...wrongRecords];
