import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { type Approval, ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Context } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { recordsOf } from "./listings.ts";

/** Shows what other users have in the same state besides, where a listing is asked for so. */
const withOthers = (isAsked: (state: ApprovalState) => boolean): BetaDecoration => ({
  handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => async (context, request) => {
    const reply = await next(context, request);
    if (!isAsked(request.state)) return reply;
    const all = recordsOf(context as unknown as Context, [context.workspaceId]) as readonly Approval[];
    const others = all.filter(
      ({ state, customerUserId }) =>
        idText(customerUserId) !== context.tenant.customerUserId && state === request.state,
    );
    return { ...reply, approvals: [...(reply.approvals ?? []), ...others] };
  }),
});

/** Lists approvals of these states whoever's they are. */
const ofEveryUser = (says: string, ...asked: readonly ApprovalState[]) =>
  [
    `lists approvals that ${says} whoever's they are`,
    withOthers((state) => asked.includes(state)),
    { entails: ["*.records.identity", "*.paging.size"] },
  ] as const;

/** Queries of their own that leave out whose approvals are asked for. */
export const approvalsOfOthers: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.user-list": {
    "ListApprovals-ended-of-every-user": ofEveryUser(
      "are over",
      ApprovalState.APPROVED,
      ApprovalState.REJECTED,
      ApprovalState.EXPIRED,
    ),
    "ListApprovals-expired-of-every-user": ofEveryUser("have expired", ApprovalState.EXPIRED),
    "ListApprovals-rejected-of-every-user": ofEveryUser("were rejected", ApprovalState.REJECTED),
    "ListApprovals-approved-of-every-user": ofEveryUser("were approved", ApprovalState.APPROVED),
  },
});
