import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { type CustomerUserGrant, CustomerUserGrantSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { subjectOf } from "../../reference/core/implement.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { type Change, inObject, inReply, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { drop, laterBy } from "../values.ts";

const empty = new TextEncoder().encode("{}");
const hourLater = laterBy(3_600_000);
const first: Change = (value) => (Array.isArray(value) ? value.slice(0, 1) : value);
const each = (edit: (text: string) => string): Change => {
  return (value) => (Array.isArray(value) ? value.map((one) => edit(String(one))) : value);
};

/** A grant that was never revoked says that it was. */
const revokedFromTheStart = [
  "shows a revocation time of a grant nobody revoked",
  inObject("customerUserGrant", (grant) => ({ ...grant, revokedAt: grant.revokedAt ?? grant.createdAt ?? null })),
] as const;

/** Who makes a session keeps the user as he was when the first was made, and writes him back with each. */
function writtenBack(): BetaDecoration {
  const known = new Map<string, CustomerUserGrant>();
  return {
    handlers: aroundBeta(SessionService.method.createSession, (next) => async (context, request) => {
      const reply = await next(context, request);
      const { customer_user } = context.world.tables;
      const id = idText(request.customerUserId);
      const now = customer_user.get(id);
      const { expiresAt, allowedBrowserTokenScopes } = known.get(id) ?? now;
      if (!known.has(id)) known.set(id, now);
      customer_user.put({ ...now, expiresAt, allowedBrowserTokenScopes });
      return reply;
    }),
  };
}

export const grantFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.grants.not-revoked": {
    "CreateCustomerUserGrant-revoked-from-the-start": revokedFromTheStart,
    "GetCustomerUserGrant-revoked-from-the-start": revokedFromTheStart,
    "UpdateCustomerUserGrant-revoked-from-the-start": revokedFromTheStart,
  },
  "*.grants.forms": {
    "CreateCustomerUserGrant-registeredOrigins-first": [
      "shows the first origin only",
      inReply("customerUserGrant.registeredOrigins", first),
    ],
    "CreateCustomerUserGrant-allowedBrowserTokenScopes-areas": [
      "shows areas in place of scopes",
      inReply(
        "customerUserGrant.allowedBrowserTokenScopes",
        each((scope) => scope.split(":")[0] ?? ""),
      ),
    ],
    "GetCustomerUserGrant-registeredOrigins-without-port": [
      "shows origins without their port",
      inReply(
        "customerUserGrant.registeredOrigins",
        each((origin) => origin.replace(/:\d+$/, "")),
      ),
    ],
    "CreateCustomerUserGrant-refuses-ports": [
      "refuses origins that name a port other than their scheme's usual one",
      onRequest((json) =>
        JSON.stringify(json.registeredOrigins ?? []).includes(":65535")
          ? { ...json, registeredOrigins: ["an origin the reference refuses"] }
          : json,
      ),
    ],
    "CreateCustomerUserGrant-cuts-scopes": [
      "keeps the first three scopes of a grant only",
      {
        handlers: aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => (context, request) => {
          const { allowedBrowserTokenScopes: scopes } = request;
          return next(context, {
            ...request,
            allowedBrowserTokenScopes: scopes.length > 4 ? scopes : scopes.slice(0, 3),
          });
        }),
      },
    ],
  },
  "*.grants.holds": {
    "CreateCustomerUserGrant-expiresAt-later": [
      "shows a later expiry than it was given",
      inReply("customerUserGrant.expiresAt", hourLater),
    ],
    "CreateCustomerUserGrant-allowedToolIds-dropped": [
      "shows no tools",
      inReply("customerUserGrant.allowedToolIds", drop),
    ],
    "GetCustomerUserGrant-expiresAt-dropped": ["shows no expiry", inReply("customerUserGrant.expiresAt", drop)],
    "GetCustomerUserGrant-allowedToolIds-dropped": [
      "shows no tools",
      inReply("customerUserGrant.allowedToolIds", drop),
    ],
    "UpdateCustomerUserGrant-expiresAt-later": [
      "shows a later expiry than it was given",
      inReply("customerUserGrant.expiresAt", hourLater),
    ],
    "UpdateCustomerUserGrant-allowedToolIds-added": [
      "adds tools to those there were",
      {
        handlers: aroundBeta(CustomerUserService.method.updateCustomerUserGrant, (next) => (context, request) => {
          const { allowedToolIds: known } = subjectOf(context, CustomerUserGrantSchema);
          const tools = new Map([...known, ...request.allowedToolIds].map((id) => [idText(id), id]));
          return next(context, { ...request, allowedToolIds: [...tools.values()] });
        }),
      },
    ],
    "UpdateCustomerUserGrant-undone-by-use": [
      "has a grant as it was before its update again once the user gets another session",
      writtenBack,
    ],
    "UpdateCustomerUserGrant-registeredOrigins-dropped": [
      "shows no origins",
      inReply("customerUserGrant.registeredOrigins", drop),
    ],
  },
  "*.records.echo": {
    "CreateCustomerUserGrant-attributesJson-dropped": [
      "shows no attributes",
      inReply("customerUserGrant.attributesJson", drop),
    ],
    "CreateCustomerUserGrant-attributesJson-cut": [
      "keeps no attributes of 64 KiB or more",
      {
        handlers: aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => (context, request) => {
          const { attributesJson } = request;
          return next(context, attributesJson.byteLength < 2 ** 16 ? request : { ...request, attributesJson: empty });
        }),
      },
    ],
    "GetCustomerUserGrant-attributesJson-dropped": [
      "shows no attributes",
      inReply("customerUserGrant.attributesJson", drop),
    ],
  },
  "*.grants.revoked-at": {
    "GetCustomerUserGrant-revokedAt-dropped": [
      "shows no revocation time",
      inReply("customerUserGrant.revokedAt", drop),
    ],
    "RevokeCustomerUserGrant-revokedAt-dropped": [
      "shows no revocation time",
      inReply("customerUserGrant.revokedAt", drop),
    ],
  },
  "*.records.agree": {
    "RevokeCustomerUserGrant-externalUserId-other": [
      "shows another user",
      inReply("customerUserGrant.externalUserId", () => "somebody"),
    ],
    "UpdateCustomerUserGrant-createdAt-later": [
      "moves the time the grant was made",
      inReply("customerUserGrant.createdAt", hourLater),
    ],
  },
});
