import { type Change, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, cutLong, drop, later, more, past, rename } from "../values.ts";

const empty: Change = () => [];

/** Where the replies of methods have their records, and in them a version. */
const versioned = {
  CompleteArtifactUpload: "artifact",
  CreateArtifactDownload: "artifact",
  CreateArtifactUpload: "artifact",
  GetArtifact: "artifact",
  ListArtifacts: "artifacts[]",
  GetJob: "job",
  ListJobs: "jobs[]",
  GetSecret: "secret",
  ListSecrets: "secrets[]",
  RotateSecret: "secret",
  CreateSecret: "secret",
  CreateWebhookEndpoint: "endpoint",
  GetWebhookEndpoint: "endpoint",
  RotateWebhookSecret: "endpoint",
  ListWebhookEndpoints: "endpoints[]",
  UpdateWebhookEndpoint: "endpoint",
};

/** Records of one RPC that show something otherwise than every other reply does, or than it was sent. */
export const alphaRecordFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.endpoints.served": {
    "GetJob-empty": ["answers with an empty message", inReply("job", drop)],
    "GetSecret-empty": ["answers with an empty message", inReply("secret", drop)],
  },
  "*.records.echo": {
    "CreateSecret-another-name": ["answers with another name than was sent", inReply("secret.name", rename)],
    "CreateWebhookEndpoint-another-url": ["answers with another url than was sent", inReply("endpoint.url", rename)],
    "RotateSecret-renames": ["answers with another name than the secret has", inReply("secret.name", rename)],
    "RotateWebhookSecret-disables": ["answers with a disabled endpoint", inReply("endpoint.enabled", () => false)],
    "CompleteArtifactUpload-renames": ["answers with another name than was declared", inReply("artifact.name", rename)],
  },
  "*.records.filled": {
    "RotateSecret-undated": ["does not say when the secret was changed", inReply("secret.updatedAt", drop)],
    "UpdateWebhookEndpoint-undated": [
      "does not say when the endpoint was changed",
      inReply("endpoint.updatedAt", drop),
    ],
    "GetSecret-unnamed": ["leaves the name out", inReply("secret.name", drop)],
    "ListArtifacts-without-id": ["leaves the ids of the listed out", inReply("artifacts[].id", drop)],
  },
  "*.records.identity": {
    "GetJob-another-job": ["shows the id of another job", inReply("job.id", another)],
    "GetArtifact-another-workspace": [
      "shows another workspace than was asked for",
      inReply("artifact.workspaceId", another),
    ],
  },
  "*.records.times": {
    "RotateSecret-before-it-was-made": [
      "dates the change before the secret was made",
      inReply("secret.updatedAt", past),
      { entails: ["*.records.agree"] },
    ],
    "ListWebhookDeliveries-next-attempt-before-it-was-made": [
      "dates the next attempt of a delivery before the delivery was made",
      inReply("deliveries[].nextAttemptAt", past),
    ],
    "ListJobs-next-attempt-before-it-was-made": [
      "dates the next attempt of a job before the job was made",
      inReply("jobs[].nextAttemptAt", past),
    ],
  },
  "*.enums.specified": {
    "GetArtifact-unspecified-state": ["shows no state", inReply("artifact.state", () => "ARTIFACT_STATE_UNSPECIFIED")],
  },
  "*.versioning.carried": {
    ...inEach(versioned, (path) => ({
      "another-version": ["shows a version the resource is not at", inReply(`${path}.resourceVersion`, more)],
    })),
    "ListArtifacts-no-version": ["shows no versions", inReply("artifacts[].resourceVersion", drop)],
    "ListSecrets-no-version": ["shows no versions", inReply("secrets[].resourceVersion", drop)],
  },
  "*.records.agree": {
    "CreateSecret-secret-createdAt-later": [
      "dates the secret later than GetSecret does",
      inReply("secret.createdAt", later),
    ],
    "GetSecret-secret-name-renamed": ["shows another name than was stored", inReply("secret.name", rename)],
    "GetSecret-secret-updatedAt-dropped": ["leaves updatedAt out", inReply("secret.updatedAt", drop)],
    "ListSecrets-secrets-createdAt-later": [
      "dates secrets later than they were made",
      inReply("secrets[].createdAt", later),
    ],
    "RotateSecret-secret-updatedAt-later": [
      "dates the change later than GetSecret does",
      inReply("secret.updatedAt", later),
    ],
    "CreateArtifactUpload-artifact-expiresAt-dropped": ["leaves expiresAt out", inReply("artifact.expiresAt", drop)],
    "CompleteArtifactUpload-artifact-expiresAt-later": [
      "shows a later expiry than is stored",
      inReply("artifact.expiresAt", later),
    ],
    "CreateArtifactDownload-artifact-mimeType-renamed": [
      "shows another type than is stored",
      inReply("artifact.mimeType", rename),
    ],
    "CreateArtifactDownload-artifact-sizeBytes-more": [
      "shows a byte more than is stored",
      inReply("artifact.sizeBytes", more),
      { entails: ["*.artifacts.digest"] },
    ],
    "GetArtifact-artifact-sizeBytes-dropped": ["leaves sizeBytes out", inReply("artifact.sizeBytes", drop)],
    "GetArtifact-artifact-expiresAt-later": [
      "shows a later expiry than was given",
      inReply("artifact.expiresAt", later),
    ],
    "ListArtifacts-artifacts-name-cut": ["cuts long names", inReply("artifacts[].name", cutLong)],
    "ListSecrets-secrets-name-cut": ["cuts long names", inReply("secrets[].name", cutLong)],
    "ListWebhookEndpoints-endpoints-url-cut": ["cuts long addresses", inReply("endpoints[].url", cutLong)],
    "ListArtifacts-artifacts-sizeBytes-cut": [
      "cuts sizes to 22 bits",
      inReply("artifacts[].sizeBytes", (value) => String(Number(value) & 0x3fffff)),
    ],
    "ListArtifacts-artifacts-mimeType-renamed": [
      "shows another type than is stored",
      inReply("artifacts[].mimeType", rename),
    ],
    "ListArtifacts-artifacts-sha256Hex-zeros": [
      "shows a digest of zeros",
      inReply("artifacts[].sha256Hex", () => "0".repeat(64)),
    ],
    "CreateWebhookEndpoint-endpoint-createdAt-later": [
      "dates the endpoint later",
      inReply("endpoint.createdAt", later),
    ],
    "GetWebhookEndpoint-endpoint-enabled-dropped": [
      "shows enabled endpoints as disabled",
      inReply("endpoint.enabled", drop),
    ],
    "GetWebhookEndpoint-endpoint-url-cut": [
      "shows the url without its path",
      inReply("endpoint.url", (url) => new URL(String(url)).origin),
    ],
    "ListWebhookEndpoints-endpoints-enabled-dropped": [
      "shows enabled endpoints as disabled",
      inReply("endpoints[].enabled", drop),
    ],
    "ListWebhookEndpoints-endpoints-name-renamed": [
      "shows other names than are stored",
      inReply("endpoints[].name", rename),
    ],
    "UpdateWebhookEndpoint-endpoint-createdAt-later": [
      "moves createdAt with an update",
      inReply("endpoint.createdAt", later),
    ],
    "RotateWebhookSecret-endpoint-updatedAt-later": [
      "dates the rotation later than Get does",
      inReply("endpoint.updatedAt", later),
    ],
    "RedeliverWebhookDelivery-delivery-createdAt-later": [
      "moves createdAt of the delivery",
      inReply("delivery.createdAt", later),
    ],
    "GetJob-job-attemptCount-more": ["counts an attempt more than the listing", inReply("job.attemptCount", more)],
    "GetJob-job-updatedAt-dropped": ["leaves updatedAt out", inReply("job.updatedAt", drop)],
    "ListJobs-jobs-procedure-renamed": ["shows another procedure than GetJob", inReply("jobs[].procedure", rename)],
    "ListJobs-jobs-progressPercent-dropped": ["leaves progressPercent out", inReply("jobs[].progressPercent", drop)],
    "WatchJob-job-attemptCount-more": ["counts an attempt more than GetJob", inReply("job.attemptCount", more)],
    "CancelJob-job-procedure-renamed": ["shows another procedure than GetJob", inReply("job.procedure", rename)],
    "RunAsync-job-createdAt-later": ["dates the job later than GetJob does", inReply("job.createdAt", later)],
    "RunAsync-job-procedure-renamed": ["shows another procedure than GetJob", inReply("job.procedure", rename)],
    "GetMiniApp-miniApp-displayName-renamed": [
      "shows another name than the listing",
      inReply("miniApp.displayName", rename),
    ],
    "GetMiniApp-miniApp-operations-dropped": ["leaves the operations out", inReply("miniApp.operations", drop)],
    "ListMiniApps-miniApps-description-renamed": [
      "describes mini apps otherwise than GetMiniApp",
      inReply("miniApps[].description", rename),
    ],
    "ListMiniApps-miniApps-maximumAttempts-more": [
      "allows an attempt more than GetMiniApp",
      inReply("miniApps[].maximumAttempts", more),
    ],
    "GetArtifact-another-state": [
      "shows available artifacts as deleted",
      inReply("artifact.state", (state) => (state === "ARTIFACT_STATE_AVAILABLE" ? "ARTIFACT_STATE_DELETED" : state)),
    ],
    "ListArtifacts-another-state": [
      "lists available artifacts as expired",
      inReply("artifacts[].state", (state) =>
        state === "ARTIFACT_STATE_AVAILABLE" ? "ARTIFACT_STATE_EXPIRED" : state,
      ),
    ],
    "GetJob-no-results": ["shows no result artifacts", inReply("job.resultArtifactIds", empty)],
    "ListJobs-no-results": ["lists jobs without their results", inReply("jobs[].resultArtifactIds", empty)],
    "ListJobs-no-inputs": ["lists jobs without their inputs", inReply("jobs[].inputArtifactIds", empty)],
    "ListJobs-another-reason": [
      "lists failed jobs with a reason of no help",
      inReply("jobs[].terminalError.reason", () => "ERROR_REASON_INTERNAL"),
    ],
    "GetJob-another-correlation": [
      "shows the error of a job under another correlation id",
      inReply("job.terminalError.correlationId", (id) => `${id}x`),
    ],
    "WatchJob-no-request-id": [
      "leaves the request out of the error of a watched job",
      inReply("job.terminalError.requestId", drop),
    ],
  },
  "*.watch.heartbeat": {
    "WatchJob-undated-heartbeat": ["does not say when a heartbeat was emitted", inReply("heartbeat.emittedAt", drop)],
  },
});
