import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  ApprovalService,
  type DecideApprovalRequest,
  DecideApprovalResponseSchema,
} from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { hasCome } from "../../reference/core/times.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { isIn } from "./states.ts";

/** Approves what has expired. */
const decidingLate: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.decideApproval, (next) => (context, request) => {
    const { tables } = context.world;
    const id = idText(request.approvalId);
    if (tables.approval.get(id).state !== ApprovalState.EXPIRED) return next(context, request);
    const approval = tables.approval.change(id, { state: ApprovalState.APPROVED });
    return create(DecideApprovalResponseSchema, { approval });
  }),
};

const expired = "APPROVAL_STATE_EXPIRED";

/** A digest of nothing once an approval has expired. */
const digestLost = (approval: JsonObject): JsonObject =>
  approval.state === expired ? { ...approval, argumentSha256: Buffer.alloc(32).toString("base64") } : approval;

/** Shows what has expired among what was withdrawn. */
const listingBoth: BetaDecoration = {
  handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (request.state !== ApprovalState.CANCELED) return reply;
    const more = await next(context, { ...request, state: ApprovalState.EXPIRED });
    return { ...reply, approvals: [...(reply.approvals ?? []), ...(more.approvals ?? [])] };
  }),
};

/** Approvals that a server has shown, or refused to decide, since they expired. */
const seen = new WeakMap<object, Set<string>>();

const seenOf = (world: object): Set<string> => {
  const known = seen.get(world) ?? new Set<string>();
  seen.set(world, known);
  return known;
};

const { decideApproval, getApproval, listApprovals } = ApprovalService.method;

/** True for what has expired and was not read since. */
const isUnread = (world: BetaWorld, id: string): boolean =>
  world.tables.approval.find(id)?.record.state === ApprovalState.EXPIRED && !seenOf(world).has(id);

/** Takes any version of what has expired unread: it still has the one it was proposed with, for who asks. */
const anyVersion = replacing((parts) => ({
  checkVersion(context) {
    const { approvalId } = context.request as unknown as DecideApprovalRequest;
    if (!isUnread(context.world as unknown as BetaWorld, idText(approvalId))) parts.checkVersion(context);
  },
}));

/** Notes which expired approvals were read by their id. */
const notingReads = aroundBeta(getApproval, (next) => async (context, request) => {
  const reply = await next(context, request);
  const isExpired = reply.approval?.state === ApprovalState.EXPIRED;
  if (isExpired) seenOf(context.world).add(idText(request.approvalId));
  return reply;
});

/** Approves what has expired, as long as nobody has read it since. */
const decidingUnread: BetaDecoration = {
  handlers: {
    ...notingReads,
    ...aroundBeta(decideApproval, (next) => (context, request) => {
      const { tables } = context.world;
      const id = idText(request.approvalId);
      if (!isUnread(context.world, id)) return next(context, request);
      const approval = tables.approval.change(id, { state: ApprovalState.APPROVED });
      return create(DecideApprovalResponseSchema, { approval });
    }),
  },
};

/** Selects by the state that is stored, which changes when an expired approval is read by its id for the first time. */
const listingStored: BetaDecoration = {
  handlers: {
    ...notingReads,
    ...aroundBeta(listApprovals, (next) => async (context, request) => {
      const reply = await next(context, request);
      if (request.state !== ApprovalState.PENDING) return reply;
      const more = await next(context, { ...request, state: ApprovalState.EXPIRED });
      const known = seenOf(context.world);
      const unread = (more.approvals ?? []).filter(({ approvalId }) => !known.has(idText(approvalId as never)));
      return { ...reply, approvals: [...(reply.approvals ?? []), ...unread] };
    }),
  },
};

/** Shows as expired whatever has come to its time, decided or not. */
const expiringAll: BetaDecoration = {
  // Time enough to decide.
  choices: { briefApprovalMs: 1500 },
  handlers: aroundBeta(getApproval, (next) => async (context, request) => {
    const { approval, ...reply } = await next(context, request);
    if (approval === undefined || !hasCome(approval.expiresAt as never, context.world.clock.now()))
      return { ...reply, approval };
    return { ...reply, approval: { ...approval, state: ApprovalState.EXPIRED } };
  }),
};

export const approvalExpiryFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.approvals.expired": {
    "GetApproval-expired-as-pending": [
      "goes on showing expired approvals as pending",
      inReply("approval.state", (state) => (state === "APPROVAL_STATE_EXPIRED" ? "APPROVAL_STATE_PENDING" : state)),
    ],
    "DecideApproval-unread-after-expiry": [
      "approves what has expired, where nobody has read it since",
      (row: RpcRow) => ({ ...(anyVersion(row) as BetaDecoration), ...decidingUnread }),
    ],
    "DecideApproval-after-expiry": ["approves what has expired", decidingLate],
  },
  "*.approvals.decision": {
    "GetApproval-decided-as-expired-in-time": ["shows what was decided as expired once its time is over", expiringAll],
  },
  "*.approvals.digest": {
    "GetApproval-digest-lost-on-expiry": [
      "shows a digest of nothing once it has expired",
      inObject("approval", digestLost),
    ],
    "ListApprovals-digest-lost-on-expiry": [
      "shows a digest of nothing once an approval has expired",
      inReply("approvals", (all) => (all as JsonObject[]).map(digestLost)),
    ],
  },
  "*.filters.hold": {
    "ListApprovals-unread-expired-as-pending": [
      "shows an expired approval among the pending ones until it is read by its id",
      listingStored,
      { also: ["*.paging.size"] },
    ],
    "ListApprovals-expired-as-canceled": ["shows what has expired among what was withdrawn", listingBoth],
  },
  "*.records.agree": {
    "GetApproval-expired-at-one-version": [
      "shows an approval that has expired at its first version",
      inObject("approval", (approval) =>
        isIn("EXPIRED")(approval) ? { ...approval, resourceVersion: "1" } : approval,
      ),
    ],
  },
});
