import { create } from "@bufbuild/protobuf";
import {
  type Secret,
  SecretSchema,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from "../../proto/gen/alpha/v1/resources_pb.js";
import { SecretService } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../proto/gen/alpha/v1/webhook_service_pb.js";
import { CustomerSecretService } from "../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { CustomerUserService } from "../../proto/gen/beta/v1/customer_user_service_pb.js";
import {
  WebhookEndpointSchema as BetaWebhookEndpointSchema,
  SecretSchema as CustomerSecretSchema,
  type CustomerUserGrant,
  CustomerUserGrantSchema,
  type Session,
  SessionState,
} from "../../proto/gen/beta/v1/resources_pb.js";
import { SessionService } from "../../proto/gen/beta/v1/session_service_pb.js";
import { WebhookService as BetaWebhookService } from "../../proto/gen/beta/v1/webhook_service_pb.js";
import type { Context, World } from "../reference/core/context.ts";
import { onRpc } from "../reference/core/decoration.ts";
import { idText } from "../reference/core/fields.ts";
import { subjectOf } from "../reference/core/implement.ts";
import { type AlphaDecoration, around, aroundBeta, type BetaDecoration } from "../reference/main.ts";
import { defineBetaFault, defineFault, type Fault } from "./fault.ts";
import { happens } from "./happens.ts";

const rotateSecret = "alpha.v1.SecretService/RotateSecret";

/** Calls `then` with the context of each call of an RPC that is refused for its version. */
function onConflict<W extends World>(
  rpc: string,
  check: (context: Context<W>) => void,
  then: (context: Context<W>) => void,
) {
  return onRpc(rpc, check, (context: Context<W>) => {
    try {
      check(context);
    } catch (refusal) {
      then(context);
      throw refusal;
    }
  });
}

function renamedAfterRefusal(): AlphaDecoration {
  const marked = new Set<string>();
  return {
    parts: (parts) => ({
      checkVersion: onConflict(rotateSecret, parts.checkVersion, ({ subject }) => {
        marked.add(idText((subject as unknown as { id: { value: string } }).id));
      }),
    }),
    handlers: around(SecretService.method.rotateSecret, (next) => async (context, request) => {
      const reply = await next(context, request);
      const id = idText(reply.secret?.id);
      if (reply.secret === undefined || !marked.delete(id)) return reply;
      reply.secret = create(SecretSchema, { ...reply.secret, name: "unnamed" });
      context.world.tables.secret.put(reply.secret);
      return reply;
    }),
  };
}

/** Puts back what was deleted once a mutation of it is refused. */
function risen(): AlphaDecoration {
  const graves = new Map<string, Secret>();
  return {
    parts: (parts) => ({
      findSubject: onRpc(rotateSecret, parts.findSubject, (context) => {
        try {
          return parts.findSubject(context);
        } catch (refusal) {
          const { secretId } = context.request as unknown as { secretId?: { value: string } };
          const grave = graves.get(idText(secretId));
          if (grave !== undefined && context.workspaceId === idText(grave.workspaceId))
            context.world.tables.secret.put(grave);
          throw refusal;
        }
      }),
    }),
    handlers: around(SecretService.method.deleteSecret, (next) => async (context, request) => {
      const secret = subjectOf(context, SecretSchema);
      const reply = await next(context, request);
      graves.set(idText(request.secretId), secret);
      return reply;
    }),
  };
}

const updateEndpoint = "alpha.v1.WebhookService/UpdateWebhookEndpoint";

/** A refused update takes back the rotation before it. */
function takesBack(): AlphaDecoration {
  const before = new Map<string, WebhookEndpoint>();
  return {
    parts: (parts) => ({
      checkVersion: onConflict(updateEndpoint, parts.checkVersion, ({ request, world }) => {
        const id = idText((request as unknown as { endpointId?: { value: string } }).endpointId);
        const old = before.get(id);
        if (old !== undefined && world.tables.webhook_endpoint.find(id) !== undefined)
          world.tables.webhook_endpoint.put(old);
      }),
    }),
    handlers: {
      ...around(WebhookService.method.rotateWebhookSecret, (next) => async (context, request) => {
        const endpoint = subjectOf(context, WebhookEndpointSchema);
        const reply = await next(context, request);
        before.set(idText(request.endpointId), endpoint);
        return reply;
      }),
      ...around(WebhookService.method.updateWebhookEndpoint, (next) => async (context, request) => {
        before.delete(idText(request.endpointId));
        return next(context, request);
      }),
    },
  };
}

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
function revokesFirst(): BetaDecoration {
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

/** A refused rotation puts into the cache what is there, and no later rotation takes it out. */
function forgetfulCache(): AlphaDecoration {
  const cache = new Map<string, Secret>();
  return {
    parts: (parts) => ({
      checkVersion: onConflict(rotateSecret, parts.checkVersion, (context) => {
        const secret = subjectOf(context, SecretSchema);
        cache.set(idText(secret.id), secret);
      }),
    }),
    handlers: around(SecretService.method.getSecret, (next) => async (context, request) => {
      const reply = await next(context, request);
      const cached = cache.get(idText(request.secretId));
      return cached === undefined ? reply : { ...reply, secret: cached };
    }),
  };
}

/** The first to see a rotation undoes it. */
function undoneBySight(): AlphaDecoration {
  const before = new Map<string, Secret>();
  return {
    handlers: {
      ...around(SecretService.method.rotateSecret, (next) => async (context, request) => {
        const secret = subjectOf(context, SecretSchema);
        const reply = await next(context, request);
        before.set(idText(request.secretId), secret);
        return reply;
      }),
      ...around(SecretService.method.getSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        const id = idText(request.secretId);
        const old = before.get(id);
        if (before.delete(id) && old !== undefined) context.world.tables.secret.put(old);
        return reply;
      }),
    },
  };
}

export const historyFaults: readonly Fault[] = [
  defineFault({
    id: "lifecycle/RotateSecret-renames-after-a-refusal",
    says: "RotateSecret forgets the name of a secret once a rotation was refused for its version",
    breaks: "alpha.records.echo",
    rpc: rotateSecret,
    decoration: renamedAfterRefusal(),
  }),
  defineFault({
    id: "lifecycle/RotateSecret-raises-the-dead",
    says: "RotateSecret refuses a deleted secret, which is there again afterwards",
    breaks: "alpha.deletion.effective",
    rpc: rotateSecret,
    decoration: risen(),
  }),
  defineFault({
    id: "lifecycle/UpdateWebhookEndpoint-refusal-takes-back-a-rotation",
    says: "UpdateWebhookEndpoint, refused for a version, takes back the rotation before it",
    breaks: "alpha.records.agree",
    also: ["alpha.versioning.expected"],
    rpc: "alpha.v1.WebhookService/GetWebhookEndpoint",
    decoration: takesBack(),
  }),
  defineFault({
    id: "lifecycle/GetSecret-stale-after-a-refused-rotation",
    says: "GetSecret goes on showing what was there when a rotation was refused",
    breaks: "alpha.records.agree",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: forgetfulCache(),
  }),
  defineFault({
    id: "lifecycle/RotateSecret-undone-once-seen",
    says: "a rotation is undone by the first reading that shows it",
    breaks: "alpha.records.agree",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: undoneBySight(),
  }),
  defineBetaFault({
    id: "lifecycle/beta-GetSecret-now-and-then-torn",
    says: "one reading in twenty of a rotated secret shows it as it was made, at the version it has",
    breaks: "beta.records.agree",
    rpc: "beta.v1.CustomerSecretService/GetSecret",
    decoration: {
      handlers: aroundBeta(CustomerSecretService.method.getSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        const rotated = (reply.secret?.activeVersion ?? 0) > 1;
        if (reply.secret === undefined || !rotated || !happens(context, 0.05)) return reply;
        return { ...reply, secret: create(CustomerSecretSchema, { ...reply.secret, activeVersion: 1 }) };
      }),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-RotateSecret-third-version-is-the-first",
    says: "RotateSecret gives the third rotation the version of the first record",
    breaks: "beta.versioning.advances",
    rpc: "beta.v1.CustomerSecretService/RotateSecret",
    decoration: {
      parts: (parts) => ({
        nextVersion: (world, current, subject) =>
          subject === "secret" && current >= world.choices.versionStart + 2n
            ? world.choices.versionStart
            : parts.nextVersion(world, current, subject),
      }),
    },
  }),
  defineBetaFault({
    id: "lifecycle/beta-ListSessions-cached-through-deletions",
    says: "ListSessions goes on listing what it listed before its deletion",
    breaks: "beta.deletion.effective",
    rpc: "beta.v1.SessionService/ListSessions",
    decoration: cachedListing(),
  }),
  defineBetaFault({
    id: "lifecycle/beta-RevokeCustomerUserGrant-forgets-updates",
    says: "RevokeCustomerUserGrant goes back to the grant as it was made",
    breaks: "beta.records.echo",
    rpc: "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
    decoration: revokesFirst(),
  }),
  defineBetaFault({
    id: "lifecycle/beta-RotateWebhookSecret-enables",
    says: "RotateWebhookSecret enables an endpoint that was disabled",
    breaks: "beta.records.echo",
    rpc: "beta.v1.WebhookService/RotateWebhookSecret",
    decoration: {
      handlers: aroundBeta(BetaWebhookService.method.rotateWebhookSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        if (reply.webhookEndpoint === undefined || reply.webhookEndpoint.enabled) return reply;
        reply.webhookEndpoint = create(BetaWebhookEndpointSchema, { ...reply.webhookEndpoint, enabled: true });
        context.world.tables.webhook_endpoint.put(reply.webhookEndpoint);
        return reply;
      }),
    },
  }),
];
