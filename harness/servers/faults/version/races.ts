import { create } from "@bufbuild/protobuf";
import { type Artifact, WebhookEndpointSchema } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import type { DecideApprovalRequest } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalDecision, ApprovalSchema, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Effect } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import { type AlphaDecoration, around, type BetaWorld } from "../../reference/main.ts";
import { isAmong } from "../chance.ts";
import type { Fault } from "../fault.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { onConflict } from "./conflicts.ts";
import { entailedByStanding, keepingVersion } from "./versions.ts";

const updateEndpoint = "alpha.v1.WebhookService/UpdateWebhookEndpoint";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Ends the name of an endpoint that is shown too early. */
const mark = " (stale)";

type UpdateRequest = { readonly endpointId?: { value: string }; readonly name: string };

/** What a refused update in a race asked for is written after all, some time later. */
function writingLate(): AlphaDecoration {
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
function readingDirty(): AlphaDecoration {
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
function reviving(): AlphaDecoration {
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
        const deleted = gone.get(id);
        const soon = deleted !== undefined && performance.now() - deleted.at < 250;
        if (soon && expectedVersionOf(context) === deleted.record.resourceVersion)
          context.world.tables.webhook_endpoint.put(deleted.record);
        return parts.findSubject(context);
      }),
    }),
  };
}

/** More than eight updates of one grant in a moment, and its version is compared no more. */
function givingUpUnderLoad() {
  const arrivals = new Map<string, number[]>();
  return replacing((parts) => ({
    checkVersion(context) {
      const { customerUserId } = context.tenant;
      const now = performance.now();
      const recent = [...(arrivals.get(customerUserId) ?? []).filter((at) => now - at < 500), now];
      arrivals.set(customerUserId, recent);
      if (recent.length <= 8) parts.checkVersion(context);
    },
  }));
}

const decided = [ApprovalState.APPROVED, ApprovalState.REJECTED];

/** A decision refused because another came first is what is stored all the same. */
const lastDecisionStored = onConflict(({ request, world }) => {
  const { approvalId, decision } = request as DecideApprovalRequest;
  const { approval } = (world as BetaWorld).tables;
  const now = approval.find(idText(approvalId))?.record;
  const state = decision === ApprovalDecision.APPROVE ? ApprovalState.APPROVED : ApprovalState.REJECTED;
  if (now !== undefined && decided.includes(now.state)) approval.put(create(ApprovalSchema, { ...now, state }));
});

/** Completes some time after the version was checked, unless the artifact has been deleted: of those that wait each is served. */
const completingLate = wrapping((next) => async (context, request) => {
  await pause(20);
  const id = context.subject === undefined ? "" : idText((context.subject as Artifact).id);
  if (context.world.tables.artifact?.find(id)?.deleted !== false) refuse("FAILED_PRECONDITION", "it was deleted");
  return next(context, request);
});

/** One rotation in seven does not look at the version it expects. */
const sometimesUnconditional = replacing((parts) => ({
  checkVersion(context) {
    if (!isAmong(context, 0.15)) parts.checkVersion(context);
  },
}));

export const raceFaults: readonly Fault[] = [
  ...faultsOf("version", "alpha.v1", {
    "*.versioning.expected": {
      "UpdateWebhookEndpoint-loser-writes-late": [
        "writes an update that it refused in a race some time later",
        writingLate(),
      ],
    },
    "*.records.agree": {
      "GetWebhookEndpoint-shows-a-refused-update-for-a-moment": [
        "shows what a stale mutation would make of an endpoint until that is refused",
        readingDirty(),
      ],
    },
    "*.versioning.one-winner": {
      "UpdateWebhookEndpoint-races-with-deletion": [
        "serves an update that comes with a deletion of the same version too",
        reviving(),
      ],
      "CompleteArtifactUpload-at-once-are-all-served": [
        "checks the version some time before it completes what was not deleted meanwhile",
        completingLate,
      ],
      "RotateSecret-now-and-then-unconditional": [
        "does not look at the version that one rotation in seven expects",
        sometimesUnconditional,
        { also: ["*.versioning.expected"] },
      ],
      "RotateWebhookSecret-rotations-at-once-are-all-served": [
        "leaves the version as it was, so that of rotations at once each is served and issues a secret of its own",
        keepingVersion,
        { entails: ["*.versioning.advances", ...entailedByStanding] },
      ],
    },
  }),
  ...faultsOf("version", "beta.v1", {
    "*.versioning.one-winner": {
      "UpdateCustomerUserGrant-gives-up-under-load": [
        "of more than eight updates at once makes the later without looking at their version",
        givingUpUnderLoad(),
      ],
    },
    "*.versioning.expected": {
      "DecideApproval-refused-decision-is-stored": [
        "stores a decision all the same that it refused because another came first",
        lastDecisionStored,
      ],
    },
  }),
];
