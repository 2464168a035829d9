import { ApprovalService } from "../../../../proto/gen/beta/v1/approval_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import type { BetaContext, BetaWorld } from "../../reference/beta/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How long a reply takes to be put together, in milliseconds. */
const pauseMs = 20;

const { deleteSecret, rotateSecret } = CustomerSecretService.method;

/** Ids of the secrets whose deletion has begun, by the server they are of. */
const going = new WeakMap<BetaWorld, Set<string>>();

/** Refuses a secret that is being deleted, as its deletion stands; returns those that are. */
function goingBut(world: BetaWorld, id: string): Set<string> {
  const ids = going.get(world) ?? new Set<string>();
  going.set(world, ids);
  if (ids.has(id)) refuse("FAILED_PRECONDITION", "the secret is being deleted");
  return ids;
}

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
      handlers: {
        ...aroundBeta(deleteSecret, (next) => async (context, request) => {
          const { world } = context as BetaContext;
          const id = idText(request.secretId);
          goingBut(world, id).add(id);
          world.tables.secret.change(id, {});
          await world.clock.pause(pauseMs);
          return next(context, request);
        }),
        ...aroundBeta(rotateSecret, (next) => (context, request) => {
          goingBut((context as BetaContext).world, idText(request.secretId));
          return next(context, request);
        }),
      },
    },
  }),
];
