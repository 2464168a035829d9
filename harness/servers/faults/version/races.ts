import { create } from "@bufbuild/protobuf";
import { WebhookEndpointSchema } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { ApprovalDecision, ApprovalSchema, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Effect } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import { type AlphaDecoration, around, type BetaDecoration } from "../../reference/main.ts";
import { defineBetaFault, defineFault, type Fault } from "../fault.ts";
import { happens } from "../happens.ts";

const updateEndpoint = "alpha.v1.WebhookService/UpdateWebhookEndpoint";
const rotateSecret = "alpha.v1.SecretService/RotateSecret";
const updateGrant = "beta.v1.CustomerUserService/UpdateCustomerUserGrant";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Ends the name of an endpoint that is shown too early. */
const mark = " (stale)";

type UpdateRequest = { readonly endpointId?: { value: string }; readonly name: string };

/** What a refused update in a race asked for is written after all, some time later. */
function writesLate(): AlphaDecoration {
  const changed = new Map<string, number>();
  return {
    handlers: around(WebhookService.method.updateWebhookEndpoint, (next) => async (context, request) => {
      changed.set(idText(request.endpointId), performance.now());
      return next(context, request);
    }),
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          const { endpointId, name } = context.request as unknown as UpdateRequest;
          const id = idText(endpointId);
          const raced = context.row.name === updateEndpoint && performance.now() - (changed.get(id) ?? -Infinity) < 50;
          if (raced && context.subject !== undefined) {
            void pause(80).then(() => {
              const now = context.world.tables.webhook_endpoint.find(id)?.record;
              if (now !== undefined)
                context.world.tables.webhook_endpoint.put(create(WebhookEndpointSchema, { ...now, name }));
            });
          }
          throw refusal;
        }
      },
    }),
  };
}

/** A stale mutation is in the store for a moment before it is found to be stale. */
function readsDirty(): AlphaDecoration {
  return {
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          const { endpointId } = context.request as unknown as UpdateRequest;
          const table = context.world.tables.webhook_endpoint;
          const before = table.find(idText(endpointId))?.record;
          const stale =
            context.row.effect === Effect.UPDATE &&
            context.row.subject === "webhook_endpoint" &&
            context.subject !== undefined;
          if (
            stale &&
            before !== undefined &&
            !before.name.endsWith(mark) &&
            expectedVersionOf(context) !== versionOf(before)
          ) {
            const dirty = create(WebhookEndpointSchema, { ...before, name: before.name + mark });
            table.put(dirty);
            await pause(250);
            if (table.find(idText(endpointId))?.record === dirty) table.put(before);
          }
          throw refusal;
        }
      },
    }),
  };
}

/** An update that comes a moment after a deletion of the same version is served, and brings the endpoint back. */
function revives(): AlphaDecoration {
  const gone = new Map<
    string,
    { readonly at: number; readonly record: ReturnType<typeof create<typeof WebhookEndpointSchema>> }
  >();
  return {
    handlers: around(WebhookService.method.deleteWebhookEndpoint, (next) => async (context, request) => {
      const id = idText(request.endpointId);
      const record = context.world.tables.webhook_endpoint.get(id);
      const reply = await next(context, request);
      gone.set(id, { at: performance.now(), record });
      return reply;
    }),
    parts: (parts) => ({
      findSubject: onRpc(updateEndpoint, parts.findSubject, (context) => {
        const id = idText((context.request as unknown as UpdateRequest).endpointId);
        const grave = gone.get(id);
        const soon = grave !== undefined && performance.now() - grave.at < 40;
        if (soon && expectedVersionOf(context) === grave.record.resourceVersion)
          context.world.tables.webhook_endpoint.put(grave.record);
        return parts.findSubject(context);
      }),
    }),
  };
}

/** More than eight updates of one grant in a moment, and its version is compared no more. */
function givesUpUnderLoad(): BetaDecoration {
  const arrivals = new Map<string, number[]>();
  return {
    parts: (parts) => ({
      checkVersion: onRpc(updateGrant, parts.checkVersion, (context) => {
        const { customerUserId } = context.tenant;
        const now = performance.now();
        const recent = [...(arrivals.get(customerUserId) ?? []).filter((at) => now - at < 500), now];
        arrivals.set(customerUserId, recent);
        if (recent.length <= 8) parts.checkVersion(context);
      }),
    }),
  };
}

/** A decision refused because another came first is what is stored all the same. */
function lastDecisionStored(): BetaDecoration {
  return {
    parts: (parts) => ({
      checkVersion: onRpc("beta.v1.ApprovalService/DecideApproval", parts.checkVersion, (context) => {
        try {
          parts.checkVersion(context);
        } catch (refusal) {
          const { approvalId, decision } = context.request as unknown as {
            approvalId?: { value: string };
            decision: ApprovalDecision;
          };
          const { approval } = context.world.tables;
          const now = approval.find(idText(approvalId))?.record;
          const state = decision === ApprovalDecision.APPROVE ? ApprovalState.APPROVED : ApprovalState.REJECTED;
          const decided = now?.state === ApprovalState.APPROVED || now?.state === ApprovalState.REJECTED;
          if (now !== undefined && decided) approval.put(create(ApprovalSchema, { ...now, state }));
          throw refusal;
        }
      }),
    }),
  };
}

export const deepRaceFaults: readonly Fault[] = [
  defineFault({
    id: "version/UpdateWebhookEndpoint-loser-writes-late",
    says: "an update refused in a race is written some time later",
    breaks: "alpha.versioning.expected",
    rpc: updateEndpoint,
    decoration: writesLate(),
  }),
  defineFault({
    id: "version/UpdateWebhookEndpoint-stale-seen-for-a-moment",
    says: "what a stale mutation makes of an endpoint is shown by readings until it is refused",
    breaks: "alpha.records.agree",
    rpc: "alpha.v1.WebhookService/GetWebhookEndpoint",
    decoration: readsDirty(),
  }),
  defineFault({
    id: "version/UpdateWebhookEndpoint-races-with-deletion",
    says: "an update that comes with a deletion of the same version is served too",
    breaks: "alpha.versioning.one-winner",
    rpc: updateEndpoint,
    decoration: revives(),
  }),
  defineFault({
    id: "version/RotateSecret-now-and-then-unconditional",
    says: "one rotation in seven does not look at the version it expects",
    breaks: "alpha.versioning.one-winner",
    also: ["alpha.versioning.expected"],
    rpc: rotateSecret,
    decoration: {
      parts: (parts) => ({
        checkVersion: onRpc(rotateSecret, parts.checkVersion, (context) => {
          if (!happens(context, 0.15)) parts.checkVersion(context);
        }),
      }),
    },
  }),
  defineBetaFault({
    id: "version/beta-UpdateCustomerUserGrant-gives-up-under-load",
    says: "of more than eight updates at once the later are made without looking at their version",
    breaks: "beta.versioning.one-winner",
    rpc: updateGrant,
    decoration: givesUpUnderLoad(),
  }),
  defineBetaFault({
    id: "version/beta-DecideApproval-refused-decision-is-stored",
    says: "a decision refused because another came first is stored all the same",
    breaks: "beta.versioning.expected",
    rpc: "beta.v1.ApprovalService/DecideApproval",
    decoration: lastDecisionStored(),
  }),
];
