import { create } from "@bufbuild/protobuf";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import {
  type CustomerUserGrant,
  CustomerUserGrantSchema,
  SecretSchema,
  type Session,
  SessionState,
  WebhookEndpointSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../../../proto/gen/beta/v1/session_service_pb.js";
import { WebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { isAmong } from "../chance.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Listings come from a cache to which sessions are added, and from which deletions take nothing. */
function cachedListing(): BetaDecoration {
  const listed = new Map<string, Session>();
  return {
    handlers: aroundBeta(SessionService.method.listSessions, (next) => async (context, request) => {
      const reply = await next(context, request);
      const now = new Set(reply.sessions.map(({ sessionId }) => idText(sessionId)));
      const owner = context.tenant.customerUserId;
      const cached = [...listed].filter(([id, session]) => !now.has(id) && idText(session.customerUserId) === owner);
      for (const session of reply.sessions)
        if (session.state === SessionState.ACTIVE) listed.set(idText(session.sessionId), session);
      return { ...reply, sessions: [...reply.sessions, ...cached.map(([, session]) => session)] };
    }),
  };
}

/** A revocation goes back to the grant as it was first made. */
function revokesFirstGrant(): BetaDecoration {
  const first = new Map<string, CustomerUserGrant>();
  return {
    handlers: {
      ...aroundBeta(CustomerUserService.method.createCustomerUserGrant, (next) => async (context, request) => {
        const reply = await next(context, request);
        const grant = reply.customerUserGrant;
        if (grant !== undefined) first.set(idText(grant.customerUserId), grant);
        return reply;
      }),
      ...aroundBeta(CustomerUserService.method.revokeCustomerUserGrant, (next) => async (context, request) => {
        const reply = await next(context, request);
        const made = first.get(idText(request.customerUserId));
        if (reply.customerUserGrant === undefined || made === undefined) return reply;
        const { attributesJson, allowedBrowserTokenScopes } = made;
        const fields = { ...reply.customerUserGrant, attributesJson, allowedBrowserTokenScopes };
        reply.customerUserGrant = create(CustomerUserGrantSchema, fields);
        context.world.tables.customer_user.put(reply.customerUserGrant);
        return reply;
      }),
    },
  };
}

/** One reading in twenty shows an active version more. */
const sometimesRotated: BetaDecoration = {
  handlers: aroundBeta(CustomerSecretService.method.getSecret, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.secret === undefined || !isAmong(context, 0.05)) return reply;
    const activeVersion = reply.secret.activeVersion + 1;
    return { ...reply, secret: create(SecretSchema, { ...reply.secret, activeVersion }) };
  }),
};

const enabling: BetaDecoration = {
  handlers: aroundBeta(WebhookService.method.rotateWebhookSecret, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.webhookEndpoint === undefined || reply.webhookEndpoint.enabled) return reply;
    reply.webhookEndpoint = create(WebhookEndpointSchema, { ...reply.webhookEndpoint, enabled: true });
    context.world.tables.webhook_endpoint.put(reply.webhookEndpoint);
    return reply;
  }),
};

/** What shows only after other calls, in some order. */
export const modelBasedFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "GetSecret-now-and-then-torn": ["shows in one reading of twenty a rotation that was never made", sometimesRotated],
  },
  "*.versioning.advances": {
    "RotateSecret-third-version-is-the-first": [
      "gives the third rotation the version of the first record",
      {
        parts: (parts) => ({
          nextVersion: (world, current, subject) =>
            subject === "secret" && current >= world.choices.versionStart + 2n
              ? world.choices.versionStart
              : parts.nextVersion(world, current, subject),
        }),
      },
    ],
  },
  "*.deletion.effective": {
    "ListSessions-cached-through-deletions": ["goes on listing what it listed before its deletion", cachedListing()],
  },
  "*.records.echo": {
    "RevokeCustomerUserGrant-forgets-updates": ["goes back to the grant as it was made", revokesFirstGrant()],
    "RotateWebhookSecret-enables": ["enables an endpoint that was disabled", enabling],
  },
});
