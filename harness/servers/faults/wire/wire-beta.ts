import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { forRpc } from "../../reference/core/decoration.ts";
import { renameAt } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";
import { formFaults } from "./form-fault.ts";

const bare = (id: JsonValue) => (id as JsonObject).value;
const number = (value: JsonValue) => Number(value);
const text = (value: JsonValue) => String(value);
const lower = (value: JsonValue) => String(value).toLowerCase();
const seconds = (value: JsonValue) => Math.trunc(Date.parse(String(value)) / 1000);
const random = () => ({ value: "3f0c1a52-9d0e-4b7a-8f11-5a6c7d8e9f00" });

type Form = readonly [
  breaks: string,
  rpc: string,
  path: string,
  what: string,
  says: string,
  change: (value: JsonValue) => JsonValue | undefined,
];

const forms: readonly Form[] = [
  ["wire.uuid", "SessionService/GetSession", "session.sessionId", "bare", "an id is a bare string", bare],
  ["wire.uuid", "RunService/ListRuns", "runs[].runId", "bare", "ids are bare strings", bare],
  ["wire.uuid", "ApprovalService/GetApproval", "approval.toolId", "bare", "a tool's id is a bare string", bare],
  [
    "wire.uuid",
    "MemoryService/ListMemoryItems",
    "memoryItems[].sourceSessionIds[]",
    "bare",
    "ids in a list are bare strings",
    bare,
  ],
  [
    "wire.uuid-v7",
    "WebhookService/ListWebhookDeliveries",
    "webhookDeliveries[].eventId",
    "random",
    "events have ids of version 4",
    random,
  ],
  ["wire.uuid-v7", "RunService/GetRun", "run.jobId", "random", "a job has an id of version 4", random],
  ["wire.int64", "RunService/GetRun", "run.resourceVersion", "number", "a version is a number", number],
  ["wire.int64", "MemoryService/DeleteAllMemory", "deletedCount", "number", "a count of 64 bits is a number", number],
  ["wire.int64", "PlatformService/GetArtifact", "artifact.sizeBytes", "number", "a size is a number", number],
  [
    "wire.int64",
    "CustomerUserService/DeleteCustomerUser",
    "deletionResourceVersion",
    "number",
    "a version is a number",
    number,
  ],
  ["wire.u32", "CustomerSecretService/GetSecret", "secret.activeVersion", "text", "a 32-bit number is a string", text],
  [
    "wire.u32",
    "WebhookService/ListWebhookDeliveries",
    "webhookDeliveries[].attemptCount",
    "text",
    "a 32-bit number is a string",
    text,
  ],
  [
    "wire.timestamp",
    "CustomerUserService/GetCustomerUserGrant",
    "customerUserGrant.createdAt",
    "seconds",
    "a time is a number",
    seconds,
  ],
  [
    "wire.timestamp",
    "SessionService/CreateVoiceConnectionTicket",
    "expiresAt",
    "seconds",
    "an expiry is a number",
    seconds,
  ],
  [
    "wire.timestamp",
    "SessionService/ListSessions",
    "sessions[].createdAt",
    "object",
    "times are objects",
    (time) => ({ seconds: seconds(time) }),
  ],
  [
    "wire.bytes",
    "PlatformService/DownloadArtifact",
    "content",
    "list",
    "bytes are a list of numbers",
    (value) => [...Buffer.from(String(value), "base64")],
  ],
  [
    "wire.bytes",
    "CustomerUserService/CreateCustomerUserGrant",
    "customerUserGrant.attributesJson",
    "plain",
    "attributes are the document itself, not its base64",
    (value) => Buffer.from(String(value), "base64").toString(),
  ],
  ["wire.enum", "SessionService/CreateSession", "session.state", "number", "a state is a number", () => 1],
  ["wire.enum", "RunService/CreateRun", "run.state", "lower", "a state is in lower case", lower],
  [
    "wire.enum",
    "WebhookService/GetWebhookEndpoint",
    "webhookEndpoint.eventTypes[]",
    "unprefixed",
    "event types lack their prefix",
    (type) => String(type).replace("WEBHOOK_EVENT_TYPE_", ""),
  ],
  [
    "wire.enum",
    "ApprovalService/ListApprovals",
    "approvals[].state",
    "undeclared",
    "a state is none of the declared",
    () => "APPROVAL_STATE_THINKING",
  ],
  [
    "wire.list",
    "CustomerUserService/GetCustomerUserGrant",
    "customerUserGrant.allowedBrowserTokenScopes",
    "text",
    "scopes are one string",
    (list) => (list as JsonValue[]).join(" "),
  ],
  [
    "wire.list",
    "CustomerSecretService/ListSecrets",
    "secrets",
    "object",
    "a list is an object",
    (list) => ({ ...(list as JsonValue[]) }),
  ],
  [
    "wire.map",
    "ApprovalService/GetApproval",
    "approval.trustedUserHeaders",
    "pairs",
    "a map is a list of pairs",
    (map) => Object.entries(map as JsonObject),
  ],
  [
    "wire.map",
    "ApprovalService/ListApprovals",
    "approvals[].trustedUserHeaders",
    "lists",
    "the values of a map are lists",
    (map) => Object.fromEntries(Object.entries(map as JsonObject).map(([key, one]) => [key, [one]])),
  ],
];

export const betaForms: readonly Fault[] = formFaults(
  forms.map(([breaks, rpc, path, what, says, change]) => {
    const place = path.replaceAll("[]", "").replaceAll(".", "-");
    return [`beta-${rpc.split("/")[1]}-${place}-${what}`, says, `beta.${breaks}`, `beta.v1.${rpc}`, path, change];
  }),
);

const renames = [
  ["MemoryService/GetMemorySettings", "settings.customerUserId", "customer_user_id"],
  ["RunService/GetRunPayload", "payload.toolCalls", "tool_calls"],
  ["SessionService/CreateVoiceConnectionTicket", "websocketUrl", "websocket_url"],
] as const;

export const betaNames: readonly Fault[] = renames.map(([name, path, other]) =>
  defineBetaFault({
    id: `wire/beta-${name.split("/")[1]}-snake-case`,
    says: `${name} names a field ${other}`,
    breaks: "beta.wire.camel-case",
    also: ["beta.endpoints.served"],
    rpc: `beta.v1.${name}`,
    decoration: {
      reply: forRpc(`beta.v1.${name}`, (json: JsonObject) => {
        if (path.includes(".")) return renameAt(json, path, other);
        const { [path]: moved, ...others } = json;
        return { ...others, [other]: moved ?? null };
      }),
    },
  }),
);
