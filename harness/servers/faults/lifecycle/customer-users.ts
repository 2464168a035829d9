import type { JsonValue } from "@bufbuild/protobuf";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { forRpc } from "../../reference/core/decoration.ts";
import { aroundBeta } from "../../reference/main.ts";
import { type Change, changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.CustomerUserService";

type Row = readonly [method: string, field: string, what: string, breaks: string, says: string, change: Change];

const drop: Change = () => undefined;
const later: Change = (value) => new Date(Date.parse(String(value)) + 3_600_000).toISOString();
const first: Change = (value) => (Array.isArray(value) ? value.slice(0, 1) : value);
const each = (edit: (text: string) => string): Change => {
  return (value) => (Array.isArray(value) ? value.map((one) => edit(String(one))) : value);
};

const rows: readonly Row[] = [
  ["CreateCustomerUserGrant", "expiresAt", "later", "grants.holds", "shows a later expiry than it was given", later],
  ["CreateCustomerUserGrant", "allowedToolIds", "dropped", "grants.holds", "shows no tools", drop],
  ["CreateCustomerUserGrant", "registeredOrigins", "first", "grants.forms", "shows the first origin only", first],
  [
    "CreateCustomerUserGrant",
    "allowedBrowserTokenScopes",
    "areas",
    "grants.forms",
    "shows areas in place of scopes",
    each((scope) => scope.split(":")[0] ?? ""),
  ],
  ["CreateCustomerUserGrant", "attributesJson", "dropped", "records.echo", "shows no attributes", drop],
  [
    "GetCustomerUserGrant",
    "registeredOrigins",
    "without-port",
    "grants.forms",
    "shows origins without their port",
    each((origin) => origin.replace(/:\d+$/, "")),
  ],
  ["GetCustomerUserGrant", "expiresAt", "dropped", "grants.holds", "shows no expiry", drop],
  ["GetCustomerUserGrant", "allowedToolIds", "dropped", "grants.holds", "shows no tools", drop],
  ["GetCustomerUserGrant", "attributesJson", "dropped", "records.echo", "shows no attributes", drop],
  ["GetCustomerUserGrant", "revokedAt", "dropped", "grants.revoked-at", "shows no revocation time", drop],
  ["RevokeCustomerUserGrant", "revokedAt", "dropped", "grants.revoked-at", "shows no revocation time", drop],
  ["RevokeCustomerUserGrant", "externalUserId", "other", "records.agree", "shows another user", () => "somebody"],
  ["UpdateCustomerUserGrant", "createdAt", "later", "records.agree", "moves the time the grant was made", later],
  ["UpdateCustomerUserGrant", "expiresAt", "later", "grants.holds", "shows a later expiry than it was given", later],
  ["UpdateCustomerUserGrant", "registeredOrigins", "dropped", "grants.holds", "shows no origins", drop],
];

export const grantReplies: readonly Fault[] = rows.map(([method, field, what, breaks, says, change]) =>
  defineBetaFault({
    id: `lifecycle/beta-${method}-${field}-${what}`,
    says: `${method} ${says}`,
    breaks: `beta.${breaks}`,
    rpc: `${service}/${method}`,
    decoration: changedReply(`${service}/${method}`, `customerUserGrant.${field}`, change),
  }),
);

const settable = [
  "attributesJson",
  "allowedToolIds",
  "registeredOrigins",
  "expiresAt",
  "allowedBrowserTokenScopes",
] as const;

/** An update leaves one field as it was. */
export const forgottenFields: readonly Fault[] = settable.map((field) =>
  defineBetaFault({
    id: `lifecycle/beta-UpdateCustomerUserGrant-leaves-${field}`,
    says: `an update leaves ${field} as it was`,
    breaks: "beta.grants.holds",
    rpc: `${service}/UpdateCustomerUserGrant`,
    decoration: {
      handlers: aroundBeta(CustomerUserService.method.updateCustomerUserGrant, (next) => (context, request) => {
        const grant = context.world.tables.customer_user.get(context.tenant.customerUserId);
        return next(context, { ...request, [field]: grant[field] });
      }),
    },
  }),
);

/** An update shows a field as it was set, and stores another value. */
export const shownOnly: readonly Fault[] = settable.map((field) =>
  defineBetaFault({
    id: `lifecycle/beta-UpdateCustomerUserGrant-only-shows-${field}`,
    says: `an update shows ${field} as it was set, but keeps what it was`,
    breaks: "beta.grants.holds",
    rpc: `${service}/UpdateCustomerUserGrant`,
    decoration: {
      handlers: aroundBeta(CustomerUserService.method.updateCustomerUserGrant, (next) => async (context, request) => {
        const { customer_user } = context.world.tables;
        const before = customer_user.get(context.tenant.customerUserId);
        const reply = await next(context, request);
        customer_user.put({ ...customer_user.get(context.tenant.customerUserId), [field]: before[field] });
        return reply;
      }),
    },
  }),
);

const unrevoked = ["CreateCustomerUserGrant", "GetCustomerUserGrant", "UpdateCustomerUserGrant"] as const;

/** A grant that was never revoked says that it was. */
export const revokedFromTheStart: readonly Fault[] = unrevoked.map((method) =>
  defineBetaFault({
    id: `lifecycle/beta-${method}-revoked-from-the-start`,
    says: `${method} shows a revocation time of a grant nobody revoked`,
    breaks: "beta.grants.not-revoked",
    rpc: `${service}/${method}`,
    decoration: {
      reply: forRpc(`${service}/${method}`, (json) => {
        const grant = json.customerUserGrant as Record<string, JsonValue>;
        return { ...json, customerUserGrant: { ...grant, revokedAt: grant.revokedAt ?? grant.createdAt ?? null } };
      }),
    },
  }),
);

export const otherGrantFaults: readonly Fault[] = [
  defineBetaFault({
    id: "lifecycle/beta-CreateCustomerUserGrant-refuses-ports",
    says: "refuses origins that name a port other than their scheme's usual one",
    breaks: "beta.grants.forms",
    rpc: `${service}/CreateCustomerUserGrant`,
    decoration: {
      request: forRpc(`${service}/CreateCustomerUserGrant`, (json) => {
        const odd = JSON.stringify(json.registeredOrigins ?? []).includes(":65535");
        return odd ? { ...json, registeredOrigins: ["an origin the reference refuses"] } : json;
      }),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-CreateCustomerUserGrant-cuts-scopes",
    says: "keeps the first three scopes of a grant only",
    breaks: "beta.grants.forms",
    rpc: `${service}/CreateCustomerUserGrant`,
    decoration: {
      handlers: aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => (context, request) => {
        const { allowedBrowserTokenScopes } = request;
        const kept =
          allowedBrowserTokenScopes.length > 4 ? allowedBrowserTokenScopes : allowedBrowserTokenScopes.slice(0, 3);
        return next(context, { ...request, allowedBrowserTokenScopes: kept });
      }),
    },
  }),
];
