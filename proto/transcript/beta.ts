import type { Transcript } from "./notation.ts";

/** The beta.v1 document once more, in its own notation and order: what its protobuf form is held against. */
export const beta: Transcript = {
  package: "beta.v1",
  messages: {
    Approval:
      "approvalId UUID; workspaceId UUID; appId UUID; customerUserId UUID; runId UUID; toolId UUID; state ApprovalState; proposedArguments EncodedPayload; resourceVersion u64; expiresAt ts; target ApprovalTarget; argumentSha256 bytes; trustedUserHeaders map",
    ApprovalTarget: "appDisplayName string; publishedVersionLabel string; toolName string; destination string",
    Artifact:
      "artifactId UUID; jobId UUID; runId UUID; filename string; mediaType string; sizeBytes u64; sha256 bytes; expiresAt ts",
    CustomerUserGrant:
      "customerUserId UUID; workspaceId UUID; appId UUID; externalUserId string; attributesJson bytes; resourceVersion u64; createdAt ts; updatedAt ts; allowedToolIds UUID[]; registeredOrigins string[]; expiresAt ts; revokedAt ts; allowedBrowserTokenScopes string[]",
    EncodedPayload: "encoding PayloadEncoding; value bytes; schemaSha256 bytes",
    ErrorDetail:
      "reason ErrorReason; requestId UUID; correlationId string; retryAfterSeconds u32; retryGuidance RetryGuidance; fieldViolations FieldViolation[]",
    FieldViolation: "field string; description string",
    Job: "jobId UUID; runId UUID; workspaceId UUID; appId UUID; customerUserId UUID; state RunState; resourceVersion u64; createdAt ts; completedAt ts",
    MemoryItem:
      "memoryItemId UUID; workspaceId UUID; appId UUID; customerUserId UUID; key string; valueJson bytes; resourceVersion u64; updatedAt ts; sourceSessionIds UUID[]",
    MemorySettings: "workspaceId UUID; appId UUID; customerUserId UUID; enabled bool; resourceVersion u64",
    PageRequest: "pageSize u32; cursor string",
    PageInfo: "nextCursor string",
    Run: "runId UUID; workspaceId UUID; appId UUID; appVersionId UUID; customerUserId UUID; sessionId UUID; state RunState; resourceVersion u64; settledCustomerCost USDAmount; error ErrorDetail; createdAt ts; updatedAt ts; memoryWarning bool; jobId UUID",
    RunPayload: "input TextTurnInput; output TextTurnOutput; toolCalls ToolCallPayload[]",
    RunStateEvent:
      "eventId UUID; runId UUID; sequence u64; state RunState; runResourceVersion u64; error ErrorDetail; occurredAt ts",
    RunTextEvent: "eventId UUID; runId UUID; sequence u64; delta string; final bool; occurredAt ts",
    Secret:
      "secretId UUID; workspaceId UUID; appId UUID; customerUserId UUID; name string; activeVersion u32; resourceVersion u64; createdAt ts; updatedAt ts",
    Session:
      "sessionId UUID; workspaceId UUID; appId UUID; appVersionId UUID; customerUserId UUID; state SessionState; resourceVersion u64; createdAt ts; updatedAt ts",
    TextTurnInput: "text string",
    TextTurnOutput: "text string",
    ToolCallPayload: "toolId UUID; arguments EncodedPayload; result EncodedPayload",
    USDAmount: "millionths i64",
    WebhookDelivery:
      "webhookDeliveryId UUID; workspaceId UUID; appId UUID; webhookEndpointId UUID; eventType WebhookEventType; subjectId UUID; state WebhookDeliveryState; attemptCount u32; createdAt ts; deliveredAt ts; resourceVersion u64; eventId UUID; eventVersion u32",
    WebhookEndpoint:
      "webhookEndpointId UUID; workspaceId UUID; appId UUID; url string; eventTypes WebhookEventType[]; enabled bool; resourceVersion u64; createdAt ts; updatedAt ts",
  },
  enums: {
    ApprovalDecision: "APPROVAL_DECISION_: UNSPECIFIED APPROVE REJECT",
    ApprovalState: "APPROVAL_STATE_: UNSPECIFIED PENDING APPROVED REJECTED EXPIRED CANCELED",
    PayloadEncoding: "PAYLOAD_ENCODING_: UNSPECIFIED JSON PROTO_JSON",
    RunState:
      "RUN_STATE_: UNSPECIFIED QUEUED RUNNING AWAITING_APPROVAL AWAITING_COST_EVIDENCE AWAITING_SETTLEMENT CANCELING SUCCEEDED FAILED CANCELED OUTCOME_UNKNOWN",
    SessionState: "SESSION_STATE_: UNSPECIFIED ACTIVE DELETED",
    WebhookDeliveryState: "WEBHOOK_DELIVERY_STATE_: UNSPECIFIED PENDING DELIVERED FAILED CANCELED",
    WebhookEventType:
      "WEBHOOK_EVENT_TYPE_: UNSPECIFIED RUN_STATE_CHANGED RUN_COMPLETED RUN_FAILED RUN_OUTCOME_UNKNOWN APPROVAL_REQUIRED",
    ErrorReason:
      "ERROR_REASON_: UNSPECIFIED INVALID_ARGUMENT AUTHENTICATION_REQUIRED AUTHORIZATION_DENIED RESOURCE_NOT_FOUND IDEMPOTENCY_CONFLICT RESOURCE_VERSION_CONFLICT FAILED_PRECONDITION QUOTA_EXHAUSTED RATE_LIMITED CONCURRENCY_EXHAUSTED BILLING_BLOCKED DEPENDENCY_UNAVAILABLE APP_STOPPED VERSION_STOPPED SPEC_INVALID TOOL_UNSUPPORTED APPROVAL_REQUIRED APPROVAL_EXPIRED OUTCOME_UNKNOWN COST_UNVERIFIED INTERNAL",
    RetryGuidance:
      "RETRY_GUIDANCE_: UNSPECIFIED AFTER_DELAY AFTER_DEPENDENCY_RECOVERY AFTER_REAUTHENTICATION AFTER_STATE_CHANGE DO_NOT_RETRY",
  },
  services: {
    ApprovalService: [
      "DecideApproval (BT) | approvals:write | customerPayload | C4, approvalId UUID, expectedResourceVersion, decision ApprovalDecision | approval Approval",
      "GetApproval (BT) | approvals:read | customerPayload | C4, approvalId UUID | approval Approval",
      "ListApprovals (BT) | approvals:read | customerPayload | C4, state ApprovalState, page | approvals Approval[], page",
    ],
    CustomerSecretService: [
      "CreateSecret (BK, BT) | secrets:write | writeOnlySecret | C4, name string, plaintextValue bytes | secret Secret",
      "DeleteSecret (BK, BT) | secrets:write | metadataOnly | C4, secretId UUID, expectedResourceVersion | secret Secret",
      "GetSecret (BK, BT) | secrets:read | metadataOnly | C4, secretId UUID | secret Secret",
      "ListSecrets (BK, BT) | secrets:read | metadataOnly | C4, page | secrets Secret[], page",
      "RotateSecret (BK, BT) | secrets:write | writeOnlySecret | C4, secretId UUID, expectedResourceVersion, plaintextValue bytes | secret Secret",
    ],
    CustomerUserService: [
      "CreateCustomerUserGrant (BK) | users:write | customerPayload | C3, externalUserId string, attributesJson bytes, allowedToolIds UUID[], registeredOrigins string[], expiresAt ts, allowedBrowserTokenScopes string[] | customerUserGrant CustomerUserGrant",
      "DeleteCustomerUser (BK) | users:write | customerPayload | C4, expectedResourceVersion | customerUserId UUID, deletionResourceVersion u64",
      "GetCustomerUserGrant (BK) | users:read | customerPayload | C3, externalUserId string | customerUserGrant CustomerUserGrant",
      "IssueBrowserToken (BK) | tokens:issue | writeOnlySecret | C4, scopes string[], lifetimeSeconds u32, origins string[], allowedToolIds UUID[] | token string, expiresAt ts",
      "RevokeCustomerUserGrant (BK) | users:write | customerPayload | C4, expectedResourceVersion | customerUserGrant CustomerUserGrant",
      "UpdateCustomerUserGrant (BK) | users:write | customerPayload | C4, expectedResourceVersion, attributesJson bytes, allowedToolIds UUID[], registeredOrigins string[], expiresAt ts, allowedBrowserTokenScopes string[] | customerUserGrant CustomerUserGrant",
    ],
    HostedService: [
      "CreateHostedApprovalLink (BT) | approvals:read | metadataOnly | C4, runId UUID | url string, expiresAt ts",
    ],
    MemoryService: [
      "DeleteAllMemory (BK, BT) | memory:write | customerPayload | C4, expectedSettingsResourceVersion u64 | settings MemorySettings, deletedCount u64",
      "DeleteMemoryItem (BK, BT) | memory:write | customerPayload | C4, memoryItemId UUID, expectedResourceVersion | memoryItem MemoryItem",
      "GetMemorySettings (BK, BT) | memory:read | metadataOnly | C4 | settings MemorySettings",
      "ListMemoryItems (BK, BT) | memory:read | customerPayload | C4, page | memoryItems MemoryItem[], page",
      "UpdateMemoryItem (BK, BT) | memory:write | customerPayload | C4, memoryItemId UUID, expectedResourceVersion, valueJson bytes | memoryItem MemoryItem",
      "UpdateMemorySettings (BK, BT) | memory:write | metadataOnly | C4, expectedResourceVersion, enabled bool | settings MemorySettings",
    ],
    OAuthHandoffService: [
      "CompleteOAuthLoginRequest (BK) | oauth:login:complete | customerPayload | C3, oauthLoginRequestId UUID, expectedResourceVersion, customerUserId UUID | browserReturnUrl string, oauthLoginRequestId UUID, resourceVersion u64, completedAt ts",
    ],
    PlatformService: [
      "DownloadArtifact (BK, BT) | runs:payload | customerPayload | C4, artifactId UUID | artifact Artifact, content bytes",
      "GetArtifact (BK, BT) | runs:payload | customerPayload | C4, artifactId UUID | artifact Artifact",
      "GetJob (BK, BT) | runs:read | metadataOnly | C4, jobId UUID | job Job",
      "ListArtifacts (BK, BT) | runs:payload | customerPayload | C4, jobId UUID, page | artifacts Artifact[], page",
      "ListJobs (BK, BT) | runs:read | metadataOnly | C4, page | jobs Job[], page",
    ],
    RunService: [
      "CancelRun (BK, BT, MO) | runs:write | metadataOnly | C4, runId UUID, expectedResourceVersion | run Run",
      "CreateRun (BK, BT, providerCostSettled) | runs:write | customerPayload | C3, appVersionId UUID, customerUserId UUID, sessionId UUID, input TextTurnInput | run Run",
      "GetRun (BK, BT, MO) | runs:read | metadataOnly | C4, runId UUID | run Run",
      "GetRunPayload (BK, BT) | runs:payload | customerPayload | C4, runId UUID | payload RunPayload",
      "ListRuns (BK, BT) | runs:read | metadataOnly | C4, sessionId UUID, page | runs Run[], page",
      "StreamRunText (BK, BT, stream) | runs:payload | customerPayload | C4, runId UUID, afterSequence u64 | event RunTextEvent",
      "WatchRun (BK, BT, MO, stream) | runs:read | metadataOnly | C4, runId UUID, afterSequence u64 | event RunStateEvent",
    ],
    SessionService: [
      "CreateSession (BK, BT) | sessions:write | customerPayload | C3, appVersionId UUID, customerUserId UUID | session Session",
      "CreateVoiceConnectionTicket (BT) | voice:connect | writeOnlySecret | C4, sessionId UUID | ticket string, websocketUrl string, expiresAt ts",
      "DeleteSession (BK, BT) | sessions:write | customerPayload | C4, sessionId UUID, expectedResourceVersion | session Session",
      "GetSession (BK, BT) | sessions:read | customerPayload | C4, sessionId UUID | session Session",
      "ListSessions (BK, BT) | sessions:read | metadataOnly | C4, page | sessions Session[], page",
    ],
    WebhookService: [
      "CreateWebhookEndpoint (BK, IU) | webhooks:write | writeOnlySecret | C3, url string, eventTypes WebhookEventType[] | webhookEndpoint WebhookEndpoint, signingSecret string",
      "DeleteWebhookEndpoint (BK, IU) | webhooks:write | metadataOnly | C3, webhookEndpointId UUID, expectedResourceVersion | webhookEndpoint WebhookEndpoint",
      "GetWebhookEndpoint (BK, IU) | webhooks:read | metadataOnly | C3, webhookEndpointId UUID | webhookEndpoint WebhookEndpoint",
      "ListWebhookDeliveries (BK, IU) | webhooks:read | metadataOnly | C3, webhookEndpointId UUID, page | webhookDeliveries WebhookDelivery[], page",
      "ListWebhookEndpoints (BK, IU) | webhooks:read | metadataOnly | C3, page | webhookEndpoints WebhookEndpoint[], page",
      "RedeliverWebhookDelivery (BK, IU) | webhooks:write | metadataOnly | C3, webhookDeliveryId UUID, expectedResourceVersion | webhookDelivery WebhookDelivery",
      "RotateWebhookSecret (BK, IU) | webhooks:write | writeOnlySecret | C3, webhookEndpointId UUID, expectedResourceVersion | webhookEndpoint WebhookEndpoint, signingSecret string",
      "UpdateWebhookEndpoint (BK, IU) | webhooks:write | metadataOnly | C3, webhookEndpointId UUID, expectedResourceVersion, url string, eventTypes WebhookEventType[], enabled bool | webhookEndpoint WebhookEndpoint",
    ],
  },
};
