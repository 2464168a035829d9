import type { JsonObject } from "@bufbuild/protobuf";
import { forRpc, type PlainResponse } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";
import { detailChanged } from "./wire.ts";

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
