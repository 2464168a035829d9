import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Change, inReply, onReply, onResponse, renameAt } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { asText, bare, epochSeconds } from "../values.ts";

const asObject: Change = (list) => ({ ...(list as JsonValue[]) });
const asPairs: Change = (map) => Object.entries(map as JsonObject);
const ofLists: Change = (map) =>
  Object.fromEntries(Object.entries(map as JsonObject).map(([key, one]) => [key, [one]]));

const versionFour: Change = () => ({ value: "3f0c1a52-9d0e-4b7a-8f11-5a6c7d8e9f00" });
const alsoServed = { also: ["*.endpoints.served"] };

/** A field under the name the protobuf file of a server gives it. */
const renamed = (path: string, name: string) =>
  [`a field's name is ${name}`, onReply((json) => renameAt(json, path, name))] as const;

/** JSON text in which the first member of every object stands twice. */
function doubled(json: JsonValue): string {
  if (Array.isArray(json)) return `[${json.map(doubled).join(",")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const members = Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}:${doubled(value)}`);
  return `{${[...members.slice(0, 1), ...members].join(",")}}`;
}

const keysDoubled = [
  "a key stands twice in an object",
  onResponse((response) =>
    response.status === 200
      ? { ...response, body: Buffer.from(doubled(JSON.parse(Buffer.from(response.body).toString()))) }
      : response,
  ),
] as const;

/** Lists, maps, messages, strings, bools, names and absent fields in another form. */
export const shapeFaults: readonly Fault[] = faultsOf("wire", "alpha.v1", {
  "*.wire.list": {
    "ListSecrets-list-as-object": ["a list is an object", inReply("secrets", asObject)],
    "GetMiniApp-list-of-one-bare": [
      "a list of types is a bare string",
      inReply("miniApp.artifactConstraints.acceptedMimeTypes", (value) => (value as JsonValue[])[0]),
    ],
    "ListMiniApps-list-as-text": [
      "scopes are one string with commas",
      inReply("miniApps[].operations[].apiKeyScopes", (value) => (value as JsonValue[]).join(",")),
    ],
  },
  "*.wire.map": {
    "CreateArtifactUpload-map-as-pairs": ["a map is a list of pairs", inReply("requiredHeaders", asPairs)],
    "CreateArtifactUpload-map-of-lists": ["the values of a map are lists", inReply("requiredHeaders", ofLists)],
  },
  "json.reply.scalars": {
    "GetSecret-string-as-number": ["a name is a number", inReply("secret.name", () => 7)],
    "GetMiniApp-string-in-list-as-number": [
      "media types are numbers",
      inReply("miniApp.artifactConstraints.acceptedMimeTypes[]", () => 7),
    ],
    "ListArtifacts-string-half-surrogate": [
      "names hold half a surrogate pair",
      inReply("artifacts[].name", (value) => `${value}\ud800`),
    ],
    "RunSync-string-as-object": ["an output is an object", inReply("output", (value) => ({ text: value }))],
    "GetWebhookEndpoint-bool-as-text": ["a flag is a string", inReply("endpoint.enabled", asText)],
    "ListWebhookEndpoints-bool-as-number": ["flags are numbers", inReply("endpoints[].enabled", () => 1)],
    "ListJobs-message-as-text": ["the page is a string", inReply("page", () => "none")],
  },
  "*.wire.camel-case": {
    "GetSecret-snake-case": renamed("secret.resourceVersion", "resource_version"),
    "ListJobs-snake-case": renamed("page.nextCursor", "next_cursor"),
    "CreateArtifactDownload-snake-case": renamed("artifact.sha256Hex", "sha256_hex"),
    "ListWebhookDeliveries-snake-case": renamed("deliveries[].eventId", "event_id"),
    "WatchJob-snake-case": renamed("job.attemptCount", "attempt_count"),
  },
  "json.reply.duplicate-keys": {
    "GetJob-duplicate-keys": keysDoubled,
    "ListWebhookEndpoints-duplicate-keys": keysDoubled,
    "CreateArtifactUpload-duplicate-keys": keysDoubled,
  },
});

/** Numbers, ids, times and bytes too. */
export const betaFormFaults: readonly Fault[] = faultsOf("wire", "beta.v1", {
  "*.wire.uuid": {
    "GetSession-session-sessionId-bare": ["an id is a bare string", inReply("session.sessionId", bare)],
    "ListRuns-runs-runId-bare": ["ids are bare strings", inReply("runs[].runId", bare)],
    "GetApproval-approval-toolId-bare": ["a tool's id is a bare string", inReply("approval.toolId", bare)],
    "ListMemoryItems-memoryItems-sourceSessionIds-bare": [
      "ids in a list are bare strings",
      inReply("memoryItems[].sourceSessionIds[]", bare),
    ],
  },
  "*.wire.uuid-v7": {
    "ListWebhookDeliveries-webhookDeliveries-eventId-random": [
      "events have ids of version 4",
      inReply("webhookDeliveries[].eventId", versionFour),
    ],
    "GetRun-run-jobId-random": ["a job has an id of version 4", inReply("run.jobId", versionFour)],
  },
  "*.wire.int64": {
    "GetRun-run-resourceVersion-number": ["a version is a number", inReply("run.resourceVersion", Number)],
    "DeleteAllMemory-deletedCount-number": ["a count of 64 bits is a number", inReply("deletedCount", Number)],
    "GetArtifact-artifact-sizeBytes-number": ["a size is a number", inReply("artifact.sizeBytes", Number)],
    "DeleteCustomerUser-deletionResourceVersion-number": [
      "a version is a number",
      inReply("deletionResourceVersion", Number),
    ],
  },
  "*.wire.u32": {
    "GetSecret-secret-activeVersion-text": ["a 32-bit number is a string", inReply("secret.activeVersion", asText)],
    "ListWebhookDeliveries-webhookDeliveries-attemptCount-text": [
      "a 32-bit number is a string",
      inReply("webhookDeliveries[].attemptCount", asText),
    ],
  },
  "*.wire.timestamp": {
    "GetCustomerUserGrant-customerUserGrant-createdAt-seconds": [
      "a time is a number",
      inReply("customerUserGrant.createdAt", epochSeconds),
    ],
    "CreateVoiceConnectionTicket-expiresAt-seconds": ["an expiry is a number", inReply("expiresAt", epochSeconds)],
    "ListSessions-sessions-createdAt-object": [
      "times are objects",
      inReply("sessions[].createdAt", (time) => ({ seconds: epochSeconds(time) })),
    ],
  },
  "*.wire.bytes": {
    "DownloadArtifact-content-list": [
      "bytes are a list of numbers",
      inReply("content", (value) => [...Buffer.from(String(value), "base64")]),
    ],
    "CreateCustomerUserGrant-customerUserGrant-attributesJson-plain": [
      "attributes are the document itself, not its base64",
      inReply("customerUserGrant.attributesJson", (value) => Buffer.from(String(value), "base64").toString()),
    ],
  },
  "*.wire.enum": {
    "CreateSession-session-state-number": ["a state is a number", inReply("session.state", () => 1)],
    "CreateRun-run-state-lower": [
      "a state is in lower case",
      inReply("run.state", (state) => String(state).toLowerCase()),
    ],
    "GetWebhookEndpoint-webhookEndpoint-eventTypes-unprefixed": [
      "event types lack their prefix",
      inReply("webhookEndpoint.eventTypes[]", (type) => String(type).replace("WEBHOOK_EVENT_TYPE_", "")),
    ],
    "ListApprovals-approvals-state-undeclared": [
      "a state is none of the declared",
      inReply("approvals[].state", () => "APPROVAL_STATE_THINKING"),
    ],
  },
  "*.wire.list": {
    "GetCustomerUserGrant-customerUserGrant-allowedBrowserTokenScopes-text": [
      "scopes are one string",
      inReply("customerUserGrant.allowedBrowserTokenScopes", (list) => (list as JsonValue[]).join(" ")),
    ],
    "ListSecrets-secrets-object": ["a list is an object", inReply("secrets", asObject)],
  },
  "*.wire.map": {
    "GetApproval-approval-trustedUserHeaders-pairs": [
      "a map is a list of pairs",
      inReply("approval.trustedUserHeaders", asPairs),
    ],
    "ListApprovals-approvals-trustedUserHeaders-lists": [
      "the values of a map are lists",
      inReply("approvals[].trustedUserHeaders", ofLists),
    ],
  },
  "*.wire.camel-case": {
    "GetMemorySettings-snake-case": [...renamed("settings.customerUserId", "customer_user_id"), alsoServed],
    "GetRunPayload-snake-case": [...renamed("payload.toolCalls", "tool_calls"), alsoServed],
    "CreateVoiceConnectionTicket-snake-case": [...renamed("websocketUrl", "websocket_url"), alsoServed],
  },
});
