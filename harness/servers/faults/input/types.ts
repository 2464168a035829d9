import { type Change, inRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const only: Change = (value) => (Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value);
const wrap: Change = (value) => (typeof value === "string" ? { value } : value);
const listed: Change = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : value;
const digits: Change = (value) => (typeof value === "string" ? (/^\d+/.exec(value)?.[0] ?? value) : value);
const numberAsText: Change = (value) => (typeof value === "number" ? String(value) : value);

/** Coercions of single fields. */
export const typeFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "json.request.wrong-type": {
    "GetSecret-secretId-takes-a-bare-id": ["takes a bare id", inRequest("secretId", wrap)],
    "CreateSecret-requestId-takes-a-bare-request-id": ["takes a bare request id", inRequest("requestId", wrap)],
    "ListJobs-workspaceId-takes-a-bare-workspace-id": ["takes a bare workspace id", inRequest("workspaceId", wrap)],
    "DeleteArtifact-artifactId-takes-a-bare-id": ["takes a bare id", inRequest("artifactId", wrap)],
    "ListWebhookDeliveries-endpointId-takes-a-bare-id": ["takes a bare id", inRequest("endpointId", wrap)],
    "WatchJob-jobId-takes-a-bare-id": ["takes a bare id", inRequest("jobId", wrap)],
    "RedeliverWebhookDelivery-deliveryId-takes-a-bare-id": ["takes a bare id", inRequest("deliveryId", wrap)],
    "CreateSecret-name-takes-a-number-for-a-name": ["takes a number for a name", inRequest("name", numberAsText)],
    "CreateArtifactUpload-name-takes-a-number-for-a-name": [
      "takes a number for a name",
      inRequest("name", numberAsText),
    ],
    "RunSync-input-takes-a-number-for-an-input": ["takes a number for an input", inRequest("input", numberAsText)],
    "CreateWebhookEndpoint-url-takes-a-URL-in-a-list": ["takes a URL in a list", inRequest("url", only)],
    "RotateSecret-value-takes-bytes-in-a-list": ["takes bytes in a list", inRequest("value", only)],
    "GetMiniApp-miniAppId-takes-an-id-in-a-list": ["takes an id in a list", inRequest("miniAppId", only)],
    "CreateArtifactUpload-sha256Hex-takes-a-digest-in-a-list": [
      "takes a digest in a list",
      inRequest("sha256Hex", only),
    ],
    "ListJobs-state-takes-a-state-in-a-list": ["takes a state in a list", inRequest("state", only)],
    "ListSecrets-page-takes-a-page-in-a-list": ["takes a page in a list", inRequest("page", only)],
    "UpdateWebhookEndpoint-enabled-takes-a-flag-in-a-list": ["takes a flag in a list", inRequest("enabled", only)],
    "DeleteSecret-expectedResourceVersion-takes-a-version-in-a-list": [
      "takes a version in a list",
      inRequest("expectedResourceVersion", only),
    ],
    "RotateWebhookSecret-expectedResourceVersion-reads-the-digits-at-the-start-of-a-version": [
      "reads the digits at the start of a version",
      inRequest("expectedResourceVersion", digits),
    ],
    "CompleteArtifactUpload-expectedResourceVersion-reads-the-digits-at-the-start-of-a-version": [
      "reads the digits at the start of a version",
      inRequest("expectedResourceVersion", digits),
    ],
    "CreateArtifactUpload-sizeBytes-reads-the-digits-at-the-start-of-a-size": [
      "reads the digits at the start of a size",
      inRequest("sizeBytes", digits),
    ],
    "WatchJob-afterResourceVersion-reads-the-digits-at-the-start-of-a-version": [
      "reads the digits at the start of a version",
      inRequest("afterResourceVersion", digits),
    ],
    "ListWebhookEndpoints-page-pageSize-reads-the-digits-at-the-start-of-a-size": [
      "reads the digits at the start of a size",
      inRequest("page.pageSize", digits),
    ],
    "CreateArtifactUpload-requestedRetention-takes-a-duration-without-its-unit": [
      "takes a duration without its unit",
      inRequest("requestedRetention", (value) => (/^\d+$/.test(String(value)) ? `${value}s` : value)),
    ],
    "RunAsync-inputArtifactIds-takes-one-id-for-a-list": [
      "takes one id for a list",
      inRequest("inputArtifactIds", listed),
    ],
    "RunStream-secretIds-takes-one-id-for-a-list": ["takes one id for a list", inRequest("secretIds", listed)],
  },
  "json.request.wrong-type-lenient": {
    "UpdateWebhookEndpoint-enabled-takes-a-flag-s-text": [
      "takes a flag's text",
      inRequest("enabled", (value) => (value === "true" ? true : value)),
    ],
  },
});
