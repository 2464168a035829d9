import type { Transcript } from "./notation.ts";

/** The alpha.v1 document once more, in its own notation and order: what its protobuf form is held against. */
export const alpha: Transcript = {
  package: "alpha.v1",
  messages: {
    Artifact:
      "id UUID; workspaceId UUID; owningJobId UUID; name string; mimeType string; sizeBytes u64; sha256Hex string; state ArtifactState; expiresAt ts; resourceVersion i64; createdAt ts; updatedAt ts",
    ArtifactConstraints:
      "acceptedMimeTypes string[]; maximumObjectSizeBytes u64; maximumInputCount u32; defaultRetention dur; maximumRetention dur",
    ErrorDetail:
      "reason ErrorReason; requestId UUID; correlationId string; retryAfterSeconds u32; retryGuidance RetryGuidance; fieldViolations FieldViolation[]",
    FieldViolation: "field string; description string",
    Job: "id UUID; workspaceId UUID; miniAppId string; procedure string; state JobState; progressPercent u32; attemptCount u32; nextAttemptAt ts; terminalError ErrorDetail; inputArtifactIds UUID[]; resultArtifactIds UUID[]; resourceVersion i64; createdAt ts; updatedAt ts; completedAt ts",
    JobHeartbeat: "resourceVersion i64; emittedAt ts",
    MiniAppDescriptor:
      "id string; displayName string; description string; operations MiniAppOperation[]; artifactConstraints ArtifactConstraints; maximumAttempts u32; maximumDuration dur; resourceVersion i64",
    MiniAppOperation:
      "procedure string; displayName string; executionMode ExecutionMode; apiKeyScopes string[]; platformMeterKey string; free bool",
    PageRequest: "pageSize u32; cursor string",
    PageInfo: "nextCursor string",
    Secret: "id UUID; workspaceId UUID; name string; resourceVersion i64; createdAt ts; updatedAt ts; deletedAt ts",
    WebhookDelivery:
      "id UUID; workspaceId UUID; endpointId UUID; eventId UUID; jobId UUID; state WebhookDeliveryState; attemptCount u32; lastStatusCode u32; nextAttemptAt ts; createdAt ts; deliveredAt ts; resourceVersion i64",
    WebhookEndpoint:
      "id UUID; workspaceId UUID; name string; url string; enabled bool; resourceVersion i64; createdAt ts; updatedAt ts",
  },
  enums: {
    ArtifactState: "ARTIFACT_STATE_: UNSPECIFIED PENDING_UPLOAD AVAILABLE DELETED EXPIRED",
    JobState: "JOB_STATE_: UNSPECIFIED QUEUED RUNNING CANCELING SUCCEEDED FAILED CANCELED",
    WebhookDeliveryState: "WEBHOOK_DELIVERY_STATE_: UNSPECIFIED PENDING DELIVERED FAILED CANCELED",
    ExecutionMode: "EXECUTION_MODE_: UNSPECIFIED SYNCHRONOUS ASYNCHRONOUS",
    ErrorReason:
      "ERROR_REASON_: UNSPECIFIED INVALID_ARGUMENT AUTHENTICATION_REQUIRED AUTHORIZATION_DENIED RESOURCE_NOT_FOUND IDEMPOTENCY_CONFLICT RESOURCE_VERSION_CONFLICT FAILED_PRECONDITION QUOTA_EXHAUSTED RATE_LIMITED CONCURRENCY_EXHAUSTED BILLING_BLOCKED CHECKSUM_MISMATCH DEPENDENCY_UNAVAILABLE INTERNAL",
    RetryGuidance:
      "RETRY_GUIDANCE_: UNSPECIFIED AFTER_DELAY AFTER_DEPENDENCY_RECOVERY AFTER_REAUTHENTICATION AFTER_STATE_CHANGE DO_NOT_RETRY",
  },
  services: {
    ArtifactService: [
      "CompleteArtifactUpload | artifacts:write | M, artifactId UUID, expectedResourceVersion | artifact Artifact",
      "CreateArtifactDownload | artifacts:read | M, artifactId UUID | artifact Artifact, downloadUrl string, expiresAt ts",
      "CreateArtifactUpload | artifacts:write | M, miniAppId string, name string, mimeType string, sizeBytes u64, sha256Hex string, requestedRetention dur | artifact Artifact, uploadUrl string, requiredHeaders map, expiresAt ts",
      "DeleteArtifact | artifacts:write | M, artifactId UUID, expectedResourceVersion | artifactId UUID",
      "GetArtifact | artifacts:read | W, artifactId UUID | artifact Artifact",
      "ListArtifacts | artifacts:read | W, page | artifacts Artifact[], page",
    ],
    CatalogService: [
      "GetMiniApp | catalog:read | W, miniAppId string | miniApp MiniAppDescriptor",
      "ListMiniApps | catalog:read | W, page | miniApps MiniAppDescriptor[], page",
    ],
    JobService: [
      "CancelJob | jobs:write | M, jobId UUID, expectedResourceVersion | job Job",
      "DeleteJob | jobs:write | M, jobId UUID, expectedResourceVersion | jobId UUID",
      "GetJob | jobs:read | W, jobId UUID | job Job",
      "ListJobs | jobs:read | W, page, miniAppId string, state JobState | jobs Job[], page",
      "WatchJob (stream) | jobs:read | W, jobId UUID, afterResourceVersion i64 | one of job Job, heartbeat JobHeartbeat",
    ],
    PublicTestFixtureService: [
      "RunAsync (metered, asynchronous) | test-fixture:execute | M, input string, inputArtifactIds UUID[], secretIds UUID[] | job Job",
      "RunStream (metered, synchronous, stream) | test-fixture:execute | M, input string, inputArtifactIds UUID[], secretIds UUID[] | output string, sequence u32",
      "RunSync (metered, synchronous) | test-fixture:execute | M, input string, inputArtifactIds UUID[], secretIds UUID[] | output string",
    ],
    SecretService: [
      "CreateSecret | secrets:write | M, name string, value bytes | secret Secret",
      "DeleteSecret | secrets:write | M, secretId UUID, expectedResourceVersion | secretId UUID",
      "GetSecret | secrets:read | W, secretId UUID | secret Secret",
      "ListSecrets | secrets:read | W, page | secrets Secret[], page",
      "RotateSecret | secrets:write | M, secretId UUID, expectedResourceVersion, value bytes | secret Secret",
    ],
    WebhookService: [
      "CreateWebhookEndpoint | webhooks:write | M, name string, url string | endpoint WebhookEndpoint, signingSecret string",
      "DeleteWebhookEndpoint | webhooks:write | M, endpointId UUID, expectedResourceVersion | endpointId UUID",
      "GetWebhookEndpoint | webhooks:read | W, endpointId UUID | endpoint WebhookEndpoint",
      "ListWebhookDeliveries | webhooks:read | W, endpointId UUID, page | deliveries WebhookDelivery[], page",
      "ListWebhookEndpoints | webhooks:read | W, page | endpoints WebhookEndpoint[], page",
      "RedeliverWebhookDelivery | webhooks:write | M, deliveryId UUID, expectedResourceVersion | delivery WebhookDelivery",
      "RotateWebhookSecret | webhooks:write | M, endpointId UUID, expectedResourceVersion | endpoint WebhookEndpoint, signingSecret string, previousSecretExpiresAt ts",
      "UpdateWebhookEndpoint | webhooks:write | M, endpointId UUID, expectedResourceVersion, name string, url string, enabled bool | endpoint WebhookEndpoint",
    ],
  },
};
