import { create } from "@bufbuild/protobuf";
import {
  type Secret,
  SecretSchema,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { idText } from "../../reference/core/fields.ts";
import { subjectOf } from "../../reference/core/implement.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { isAmong } from "../chance.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { onConflict } from "../version/conflicts.ts";

const secrets = SecretService.method;
const endpoints = WebhookService.method;
const rotateSecret = rpc("alpha.v1.SecretService/RotateSecret");

/** The first rotation after a refused one gives the secret another name. */
function renamedAfterRefusal(): AlphaDecoration {
  const marked = new Set<string>();
  return {
    ...onConflict((context) => marked.add(idText(subjectOf(context, SecretSchema).id)))(rotateSecret),
    handlers: around(secrets.rotateSecret, (next) => async (context, request) => {
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
function restoredByRefusal(): AlphaDecoration {
  const deleted = new Map<string, Secret>();
  const restoring = replacing((parts) => ({
    findSubject(context) {
      try {
        return parts.findSubject(context);
      } catch (refusal) {
        const { secretId } = context.request as unknown as { secretId?: { value: string } };
        const secret = deleted.get(idText(secretId));
        if (secret !== undefined && context.workspaceId === idText(secret.workspaceId))
          context.world.tables.secret?.put(secret);
        throw refusal;
      }
    },
  }));
  return {
    ...restoring(rotateSecret),
    handlers: around(secrets.deleteSecret, (next) => async (context, request) => {
      const secret = subjectOf(context, SecretSchema);
      const reply = await next(context, request);
      deleted.set(idText(request.secretId), secret);
      return reply;
    }),
  };
}

/** A refused update takes back the rotation before it. */
function rotationTakenBack(): AlphaDecoration {
  const before = new Map<string, WebhookEndpoint>();
  const takingBack = onConflict((context) => {
    const endpoint = subjectOf(context, WebhookEndpointSchema);
    const old = before.get(idText(endpoint.id));
    if (old !== undefined) context.world.tables.webhook_endpoint?.put(old);
  });
  return {
    ...takingBack(rpc("alpha.v1.WebhookService/UpdateWebhookEndpoint")),
    handlers: {
      ...around(endpoints.rotateWebhookSecret, (next) => async (context, request) => {
        const endpoint = subjectOf(context, WebhookEndpointSchema);
        const reply = await next(context, request);
        before.set(idText(request.endpointId), endpoint);
        return reply;
      }),
      ...around(endpoints.updateWebhookEndpoint, (next) => async (context, request) => {
        before.delete(idText(request.endpointId));
        return next(context, request);
      }),
    },
  };
}

/** A refused rotation puts into a cache what is there, and no later rotation takes it out. */
function cachedByRefusal(): AlphaDecoration {
  const cache = new Map<string, Secret>();
  const caching = onConflict((context) => {
    const secret = subjectOf(context, SecretSchema);
    cache.set(idText(secret.id), secret);
  });
  return {
    ...caching(rotateSecret),
    handlers: around(secrets.getSecret, (next) => async (context, request) => {
      const reply = await next(context, request);
      const cached = cache.get(idText(request.secretId));
      return cached === undefined ? reply : { ...reply, secret: cached };
    }),
  };
}

/** The first reading that shows a rotation undoes it. */
function undoneByReading(): AlphaDecoration {
  const before = new Map<string, Secret>();
  return {
    handlers: {
      ...around(secrets.rotateSecret, (next) => async (context, request) => {
        const secret = subjectOf(context, SecretSchema);
        const reply = await next(context, request);
        before.set(idText(request.secretId), secret);
        return reply;
      }),
      ...around(secrets.getSecret, (next) => async (context, request) => {
        const reply = await next(context, request);
        const id = idText(request.secretId);
        const old = before.get(id);
        if (before.delete(id) && old !== undefined) context.world.tables.secret.put(old);
        return reply;
      }),
    },
  };
}

/** One reading in twenty shows the version that the next rotation will make. */
const sometimesAhead: AlphaDecoration = {
  handlers: around(secrets.getSecret, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.secret === undefined || !isAmong(context, 0.05)) return reply;
    const resourceVersion = reply.secret.resourceVersion + 1n;
    return { ...reply, secret: create(SecretSchema, { ...reply.secret, resourceVersion }) };
  }),
};

/** What shows only after other calls, in some order. */
export const modelBasedFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.echo": {
    "RotateSecret-renames-after-a-refusal": [
      "forgets the name of a secret once a rotation was refused for its version",
      renamedAfterRefusal(),
    ],
  },
  "*.deletion.effective": {
    "RotateSecret-restores-a-deleted-secret": [
      "refuses a deleted secret, which is there again afterwards",
      restoredByRefusal(),
    ],
  },
  "*.records.agree": {
    "GetSecret-stale-after-a-refused-rotation": [
      "goes on showing what was there when a rotation was refused",
      cachedByRefusal(),
    ],
    "GetWebhookEndpoint-loses-a-rotation-to-a-refused-update": [
      "shows no rotation any more once an update after it was refused for its version",
      rotationTakenBack(),
      { also: ["*.versioning.expected"] },
    ],
  },
  "*.versioning.expected": {
    "RotateSecret-undone-once-seen": [
      "is undone by the first reading that shows it",
      undoneByReading(),
      { also: ["*.endpoints.served", "*.versioning.one-winner"] },
    ],
  },
  "*.versioning.reads-keep": {
    "GetSecret-now-and-then-ahead": [
      "shows in one reading of twenty the version its next rotation will make",
      sometimesAhead,
      { also: ["*.versioning.carried", "*.records.agree"] },
    ],
  },
});
