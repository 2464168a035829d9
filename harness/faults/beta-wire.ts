import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { forRpc, type PlainResponse } from "../reference/core/decoration.ts";
import { refuse } from "../reference/core/refusal.ts";
import type { BetaDecoration } from "../reference/main.ts";
import { renameAt } from "./edit.ts";
import { defineBetaFault, type Fault } from "./fault.ts";
import { formFaults } from "./form-fault.ts";
import { detailChanged } from "./wire.ts";

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

type Detail = readonly [
  what: string,
  breaks: string,
  rpc: string,
  says: string,
  change: (detail: JsonObject) => JsonObject,
];

const details: readonly Detail[] = [
  [
    "undeclared-reason",
    "errors.detail",
    "SessionService/DeleteSession",
    "gives a reason that is none of the listed",
    (detail) => ({ ...detail, reason: "ERROR_REASON_NOT_TODAY" }),
  ],
  [
    "reason-of-alpha",
    "errors.detail",
    "MemoryService/UpdateMemoryItem",
    "gives a reason that only alpha.v1 has",
    (detail) => ({ ...detail, reason: "ERROR_REASON_CHECKSUM_MISMATCH" }),
  ],
  [
    "guidance-as-number",
    "errors.detail",
    "RunService/CreateRun",
    "gives a guidance as a number",
    (detail) => ({ ...detail, retryGuidance: 2 }),
  ],
  [
    "no-reason",
    "errors.detail",
    "ApprovalService/DecideApproval",
    "gives no reason",
    ({ reason: _left, ...detail }) => detail,
  ],
  [
    "other-request",
    "errors.request-id",
    "CustomerSecretService/RotateSecret",
    "names another request",
    (detail) => ({ ...detail, requestId: { value: "01890a5d-ac96-774b-bcce-b302099a8057" } }),
  ],
  [
    "no-request",
    "errors.request-id",
    "CustomerUserService/IssueBrowserToken",
    "does not name the request",
    ({ requestId: _left, ...detail }) => detail,
  ],
  [
    "nameless-violation",
    "errors.violations",
    "CustomerUserService/CreateCustomerUserGrant",
    "has violations that name no field",
    (detail) => violated(detail, ({ field: _left, ...one }) => one),
  ],
  [
    "bare-violation",
    "errors.violations",
    "MemoryService/UpdateMemoryItem",
    "has violations that say nothing",
    (detail) => violated(detail, ({ description: _left, ...one }) => one),
  ],
];

function violated(detail: JsonObject, change: (violation: JsonObject) => JsonObject): JsonObject {
  const violations = detail.fieldViolations as JsonObject[] | undefined;
  return violations === undefined ? detail : { ...detail, fieldViolations: violations.map(change) };
}

export const betaDetails: readonly Fault[] = details.map(([what, breaks, name, says, change]) =>
  defineBetaFault({
    id: `wire/beta-${name.split("/")[1]}-error-${what}`,
    says: `a refusal of ${name} ${says}`,
    breaks: `beta.${breaks}`,
    rpc: `beta.v1.${name}`,
    decoration: { error: forRpc(`beta.v1.${name}`, (error: JsonObject) => detailChanged(error, change)) },
  }),
);

/** Refuses every call of an RPC. */
const refusing = (rpc: string): BetaDecoration => ({
  parts: (parts) => ({
    async pipeline(context, effect) {
      if (context.row.name === rpc) refuse("FAILED_PRECONDITION", "not now");
      return parts.pipeline(context, effect);
    },
  }),
});

export const betaUnserved: readonly Fault[] = [
  "HostedService/CreateHostedApprovalLink",
  "PlatformService/ListJobs",
  "OAuthHandoffService/CompleteOAuthLoginRequest",
].map((name) =>
  defineBetaFault({
    id: `lifecycle/beta-${name.split("/")[1]}-never-served`,
    says: `${name} refuses every call`,
    breaks: "beta.endpoints.served",
    rpc: `beta.v1.${name}`,
    decoration: refusing(`beta.v1.${name}`),
  }),
);

/** Bodies that are no single object. */
const bodies: readonly (readonly [what: string, rpc: string, says: string, edit: (body: string) => string])[] = [
  ["list", "RunService/GetRunPayload", "an object in a list", (body) => `[${body}]`],
  ["two", "MemoryService/GetMemorySettings", "two objects", (body) => `${body}\n${body}`],
  ["text", "SessionService/GetSession", "an object in a string", (body) => JSON.stringify(body)],
];

export const betaBodies: readonly Fault[] = bodies.map(([what, name, says, edit]) =>
  defineBetaFault({
    id: `transport/beta-${name.split("/")[1]}-replies-${what}`,
    says: `${name} replies ${says}`,
    breaks: "beta.endpoints.unary-object",
    also: ["connect.unary.one-object"],
    rpc: `beta.v1.${name}`,
    decoration: {
      http: forRpc(`beta.v1.${name}`, (response: PlainResponse) =>
        response.status === 200
          ? { ...response, body: Buffer.from(edit(Buffer.from(response.body).toString())) }
          : response,
      ),
    },
  }),
);
