import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How long a reply takes to be put together, in milliseconds. */
const pauseMs = 20;

/** Reads while something changes: no order of them and the changes is promised. */
export const changingReadVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "listed-by-index-shown-later",
    says: "finds what fits a filter first, and reads what it shows a moment later",
    open: ["beta.open.consistency"],
    decoration: {
      handlers: aroundBeta(ApprovalService.method.listApprovals, (next) => async (context, request) => {
        const { clock, tables } = context.world;
        const reply = await next(context, request);
        await clock.pause(pauseMs);
        const approvals = reply.approvals.map((one) => tables.approval.find(idText(one.approvalId))?.record ?? one);
        return { ...reply, approvals };
      }),
    },
  }),
  defineBetaVariant({
    id: "deletion-in-two-steps",
    says: "moves the version of a secret on before it is deleted, and reads show that meanwhile",
    open: ["beta.open.consistency"],
    decoration: {
      handlers: aroundBeta(CustomerSecretService.method.deleteSecret, (next) => async (context, request) => {
        const { clock, tables } = context.world;
        tables.secret.change(idText(request.secretId), {});
        await clock.pause(pauseMs);
        return next(context, request);
      }),
    },
  }),
];
