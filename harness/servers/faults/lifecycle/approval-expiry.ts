import { create, type JsonObject } from "@bufbuild/protobuf";
import { ApprovalService, DecideApprovalResponseSchema } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
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

export const approvalExpiryFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.approvals.expired": {
    "GetApproval-expired-as-pending": [
      "goes on showing expired approvals as pending",
      inReply("approval.state", (state) => (state === "APPROVAL_STATE_EXPIRED" ? "APPROVAL_STATE_PENDING" : state)),
    ],
    "DecideApproval-after-expiry": ["approves what has expired", decidingLate],
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
