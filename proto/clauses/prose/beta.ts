import type { Prose } from "./prose.ts";

export const beta: Prose = {
  "What the service does": [
    "The service speaks JSON over the Connect protocol, and every call is an HTTP POST.",
    "Through it the backend of an application and the application's end users, called customer users, hold conversational runs against published versions of apps, decide whether tools may be called, keep memory and secrets for each user, and are told about runs by webhooks.",
    "Covered are the published public RPCs, and no others.",
    "The contract is settled as v1, but nothing serves it in production yet: calls to the API address succeed once the runtime is released.",
    "Not shown: what apps, versions of apps and tools are, and how they are made or published.",
  ],
  "Wire conventions": [
    "UUID: an object with one string field, `value`. The message is named `UUIDv7`.",
    "u64, i64: a 64-bit integer, unsigned or signed, as a JSON string.",
    "u32: a JSON number.",
    "ts: a Timestamp, as a JSON string.",
    "bytes: base64 in a JSON string.",
    "An enum: the name of its value, as a string.",
    "T[]: a JSON array.",
    "map: a JSON object from strings to strings.",
    "Names of fields are camelCase.",
    "`attributesJson` and `valueJson` hold a valid JSON document in base64, `plaintextValue` the bytes of a secret.",
  ],
  Messages:
    "Not shown: anything that limits a field beyond its type, such as lengths, ranges, or the formats of `key` and `externalUserId`.",
  "Messages: Secret": "No field holds the value of a secret: it is written, never read.",
  "Messages: USDAmount": "The amount is in millionths of a US dollar.",
  "States and transitions": [
    "`CreateRun`, `CancelRun`, `DecideApproval`, `CreateSession`, `DeleteSession` and `RedeliverWebhookDelivery` can change a state.",
    "`RevokeCustomerUserGrant` revokes a grant and fills its `revokedAt`.",
    "Not shown: which state follows which.",
  ],
  "Endpoints 1": "Every call is a POST to the base URL with `/beta.v1.<Service>/<Method>` after it.",
  "Endpoints 2":
    "A unary call sends `Authorization: Bearer <ACCESS_TOKEN>`, `Content-Type: application/json` and `Connect-Protocol-Version: 1`. Its body is one JSON object, the request message; the response is one too, the response message.",
  "Endpoints 3":
    "A server-streaming call sends `Content-Type: application/connect+json` and the same other headers. Its request is one envelope: a byte of flags, zero for a plain message, then four bytes with the length of the JSON message, big-endian, then the message. The response is a sequence of envelopes.",
  "Endpoints 4":
    "A request names `workspaceId` and `appId`, and `customerUserId` where it is listed below. A line says which kinds of credentials an RPC takes, its payload access (`customerPayload`, `writeOnlySecret` or `metadataOnly`), and its cost behavior.",
  "Endpoints 5":
    "Every request has a `requestId`. A mutation that has an `expectedResourceVersion` takes in it the resource's present `resourceVersion`.",
  "Endpoints 6":
    "A listing takes a `page` (PageRequest), and returns its items as an array with a `page` (PageInfo) beside them.",
  "Endpoints 7":
    "The plaintext of a credential (backend key, browser token, voice ticket, signing secret of a webhook) is returned in the first successful response and no other. A replay with the same `requestId` returns none. A caller who lost the response has the credential reissued or rotated.",
  "Endpoints 8":
    "Not shown: which fields of a request are required, what the values of payload access and cost behavior mean, and the rules of each RPC.",
  "Endpoints: CustomerUserService":
    "An origin is a string of the form `<scheme>://<host>:<port>`, a scope one of the form `<area>:<action>`. The scopes that are asked for a browser token are drawn from its grant's `allowedBrowserTokenScopes`.",
  "Endpoints: RunService":
    "A client keeps the latest `sequence` it received from a stream, and connects again with it as `afterSequence`. That all fragments of earlier text are sent again is not promised.",
  Authentication: [
    "Every call sends `Authorization: Bearer <ACCESS_TOKEN>`, and an RPC takes the kinds of credentials of its line.",
    "A backendKey is for calls from a server, a browserToken for those from the browser of a customer user; either needs the scope of the RPC. An mcpOAuthToken needs `runs:write` or `runs:read`. An idpUser is a user who signed in at an identity provider: what counts are that user's permissions on the platform, and no scopes.",
  ],
  "Authentication 1":
    "A backendKey with `tokens:issue` calls `IssueBrowserToken`, which mints a token for one customer user, with `scopes`, `lifetimeSeconds`, `origins` and `allowedToolIds`. The response has the `token`, and when it expires.",
  "Authentication 2":
    "The grant of a customer user holds `allowedBrowserTokenScopes`, `registeredOrigins`, `allowedToolIds` and `expiresAt`. It can be updated and revoked.",
  "Authentication 3":
    "`CreateVoiceConnectionTicket` takes a browserToken with `voice:connect`, and returns a ticket and a `websocketUrl`.",
  "Authentication 4":
    "Every request names `workspaceId` and `appId`, and `customerUserId` where the call is about one user.",
  "Authentication 5":
    "Not shown: how backend keys and mcpOAuthTokens are issued, what form tokens have, which permissions of the platform stand behind an idpUser, and what is spoken at the websocket.",
  "Events 1":
    "A message of `WatchRun` holds a `RunStateEvent`: `eventId`, `runId`, a `sequence`, the run's `state`, `runResourceVersion`, an `error` where there is one, and `occurredAt`.",
  "Events 2":
    "A message of `StreamRunText` holds a `RunTextEvent`: `sequence`, `delta` (a fragment of text), `final` (a bool) and `occurredAt`.",
  "Events 3": "The types of webhook events are those of `WebhookEventType`.",
  "Events 4":
    "An endpoint subscribes to a list of `eventTypes`. The record of a delivery has `eventType`, `subjectId`, `eventId`, `eventVersion`, `state` and `attemptCount`.",
  "Events 5": "`CreateWebhookEndpoint` and `RotateWebhookSecret` return `signingSecret` in plaintext, once.",
  "Events 6":
    "Not shown: the body and headers of a delivery, how it is signed, when it is tried again, and in which order deliveries come.",
  Errors: [
    "An `ErrorDetail` describes a failure. It stands in `Run.error` and `RunStateEvent.error`.",
    "`fieldViolations` names fields and describes what is wrong with them. `retryAfterSeconds` is in seconds.",
    "Not shown: what leads to each reason, the status code that goes with it, and what an error looks like inside a stream.",
  ],
  "Limits 1": "`IssueBrowserToken` takes a `lifetimeSeconds`, in seconds.",
  "Limits 2":
    "There are reasons `QUOTA_EXHAUSTED`, `RATE_LIMITED` and `CONCURRENCY_EXHAUSTED`. `CreateRun` alone has the cost behavior `providerCostSettled`; its run carries `settledCustomerCost`, in millionths of a US dollar.",
  "Limits 3":
    "What a text stream replays is bounded: it serves events after `afterSequence` only, and does not promise all of the history.",
  "Limits 4":
    "Not shown: all numbers, such as the longest lifetime of a token, the bounds of page sizes, rate limits, quotas, the sizes of payloads and artifacts, and how long URLs live.",
  "Versioning 1": "The name of the package, and with it every path, carries the major version: `beta.v1`.",
  "Versioning 2": "Requests send `Connect-Protocol-Version: 1`.",
  "Versioning 3":
    "Each resource carries a `resourceVersion` (u64, so a string). A mutation that takes `expectedResourceVersion` is conditional on it; the reason `RESOURCE_VERSION_CONFLICT` exists for a mismatch. `DeleteCustomerUser` returns a `deletionResourceVersion`; `DeleteAllMemory` takes `expectedSettingsResourceVersion`.",
  "Versioning 4":
    "Apps have versions: `CreateRun` and `CreateSession` take an `appVersionId`, and runs and sessions hold it. A delivery carries an `eventVersion` (u32).",
  "Versioning 5": "Not shown: what is deprecated when, and what stays compatible between versions.",
};
