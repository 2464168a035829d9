import { create } from "@bufbuild/protobuf";
import {
  type Secret,
  SecretSchema,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import type { Context, World } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { subjectOf } from "../../reference/core/implement.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { defineFault, type Fault } from "../fault.ts";
import { happens } from "../happens.ts";

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
    breaks: "alpha.versioning.expected",
    also: ["alpha.endpoints.served", "alpha.versioning.one-winner"],
    rpc: rotateSecret,
    decoration: undoneBySight(),
  }),
  defineFault({
    id: "lifecycle/GetSecret-now-and-then-ahead",
    says: "one reading in twenty of a secret shows the version its next rotation will make",
    breaks: "alpha.versioning.reads-keep",
    also: ["alpha.versioning.carried", "alpha.records.agree"],
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: {
      handlers: around(SecretService.method.getSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        if (reply.secret === undefined || !happens(context, 0.05)) return reply;
        const resourceVersion = reply.secret.resourceVersion + 1n;
        return { ...reply, secret: create(SecretSchema, { ...reply.secret, resourceVersion }) };
      }),
    },
  }),
];
