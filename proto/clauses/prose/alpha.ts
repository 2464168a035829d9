import type { Prose } from "./prose.ts";

export const alpha: Prose = {
  "What the service does": [
    "The service speaks JSON over the Connect protocol, every call is an HTTP POST, and everything in it belongs to a workspace.",
    "It keeps artifacts (files that clients upload and download at URLs the service gives out), jobs (work that goes on by itself), secrets that are written and never read, webhook endpoints with a record of each delivery, and a catalog of mini apps that is read-only.",
    "Covered are the RPCs that server-side API keys may use, and no others.",
    "The contract is settled as v1, but nothing serves it in production yet: calls to the API address succeed once the runtime is released.",
    "`PublicTestFixtureService` exists in test environments only. Its three RPCs are registered where the environment says `ENABLE_TEST_FIXTURE=true`, and called at the test base URL, never at the base URL of production.",
    "Not shown: which mini apps there are, and what their procedures do.",
  ],
  "Wire conventions": [
    "UUID: an object with one string field, `value`. The message is named `UUIDv7`.",
    "i64, u64: a 64-bit integer, as a JSON string.",
    "u32: a JSON number.",
    "ts: a Timestamp, as a JSON string.",
    "dur: a Duration, as a JSON string of decimal seconds and `s`.",
    "bytes: base64 in a JSON string.",
    "An enum: the name of its value, as a string.",
    "T[]: a JSON array.",
    "map: a JSON object from strings to strings.",
    "Names of fields are camelCase.",
  ],
  Messages:
    "Not shown: anything that limits a field beyond its type, such as lengths, formats, ranges, or whether names and URLs are unique.",
  "Messages: Secret": "No field holds the value of a secret: it is written, never read.",
  "States and transitions": [
    "`CompleteArtifactUpload`, `DeleteArtifact`, `CancelJob`, `DeleteJob` and `RedeliverWebhookDelivery` can change a state. `ListJobs` can ask for jobs of one state.",
    "Not shown: which state follows which.",
  ],
  "Endpoints 1":
    "Every call is a POST to the base URL with `/alpha.v1.<Service>/<Method>` after it. Calls of fixtures take the test base URL instead.",
  "Endpoints 2":
    "A unary call sends `Authorization: Bearer <API_KEY>`, `Content-Type: application/json` and `Connect-Protocol-Version: 1`. Its body is one JSON object, the request message; the body of the response is one too, the response message.",
  "Endpoints 3":
    "A server-streaming call sends `Content-Type: application/connect+json` and the same other headers. Its request is one envelope: a byte of flags, zero for a plain message, then four bytes with the length of the JSON message, big-endian, then the message. The response is a sequence of envelopes.",
  "Endpoints 4":
    "Every request has a `workspaceId`. Where a `requestId` is listed below, the request has one too. A line says what calling an RPC costs, and whether it is executed synchronously.",
  "Endpoints 5":
    "A mutation that has an `expectedResourceVersion` takes in it the resource's present `resourceVersion` (see Versioning).",
  "Endpoints 6":
    "A listing takes a `page` (PageRequest), and returns its items as an array with a `page` (PageInfo) beside them. The `cursor` of a request may be empty.",
  "Endpoints 7":
    "Not shown: which fields of a request are required, and the rules of each RPC, such as the states it is permitted in and what it changes.",
  "Endpoints: ArtifactService":
    "`sha256Hex` is the SHA-256 of the content in hexadecimal digits. `requiredHeaders` are the headers that a client has to send when it uploads to `uploadUrl`.",
  "Authentication 1": "Every call carries a server-side API key: `Authorization: Bearer <API_KEY>`.",
  "Authentication 2": "An RPC requires the scope of its line. The scopes that are in use stand above.",
  "Authentication 3": "An operation of a mini app lists the scopes it requires, in `MiniAppOperation.apiKeyScopes`.",
  "Authentication 4":
    "There are reasons for credentials that are missing or do not suffice: `AUTHENTICATION_REQUIRED` and `AUTHORIZATION_DENIED`.",
  "Authentication 5": "Not shown: how API keys are issued, what form they have, and how they belong to workspaces.",
  "Events 1":
    "A message of `WatchJob` holds the `job` as it is now, or a `heartbeat` with a `resourceVersion` and the time it was emitted. A client resumes the stream by sending `afterResourceVersion`.",
  "Events 2":
    "A webhook endpoint has a `url`, a signing secret, and a flag `enabled`. The record of a delivery links an endpoint, an event and a job, and keeps its state, the number of attempts, the last status code, and when it is tried next and was delivered.",
  "Events 3":
    "`CreateWebhookEndpoint` and `RotateWebhookSecret` return the signing secret. The latter also says when the secret before it expires.",
  "Events 4": "`RedeliverWebhookDelivery` returns the record of the delivery.",
  "Events 5":
    "Not shown: the kinds of events, the body and headers of a delivery, how it is signed, and when it is tried again.",
  "Events 6": "Not shown: when a stream of `WatchJob` ends, and how far its heartbeats are apart.",
  Errors: [
    "An `ErrorDetail` describes a failure. A job that failed carries one as `terminalError`.",
    "`fieldViolations` lists the offending fields, each with a description. `retryAfterSeconds` is a delay in seconds. `requestId` and `correlationId` identify the request that failed.",
    "Not shown: what leads to each reason, the status code that goes with it, and what an error looks like inside a stream.",
  ],
  "Limits 1":
    "The catalog states for each mini app `maximumAttempts` and `maximumDuration`, and for its artifacts `acceptedMimeTypes`, `maximumObjectSizeBytes`, `maximumInputCount`, `defaultRetention` and `maximumRetention`.",
  "Limits 2": "`CreateArtifactUpload` takes the retention a client asks for, as a duration.",
  "Limits 3":
    "There are reasons `QUOTA_EXHAUSTED`, `RATE_LIMITED` and `CONCURRENCY_EXHAUSTED`. RPCs of fixtures are metered, all others are free.",
  "Limits 4":
    "Not shown: the numbers behind rate limits, quotas and concurrency, the bounds of page sizes, how long URLs for uploads and downloads live, and how long names may be.",
  "Versioning 1": "The name of the package, and with it every path, carries the major version: `alpha.v1`.",
  "Versioning 2": "Requests send `Connect-Protocol-Version: 1`.",
  "Versioning 3":
    "Each resource carries a `resourceVersion` (i64, so a string). A mutation that takes `expectedResourceVersion` is conditional on it; the reason `RESOURCE_VERSION_CONFLICT` exists for a mismatch.",
  "Versioning 4": "Descriptors of mini apps carry a `resourceVersion` of their own.",
  "Versioning 5": "Not shown: what is deprecated when, and what stays compatible between versions.",
};
