import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { ChosenOtherwise } from "../target/target.ts";
import type { Reply } from "../wire/reply.ts";

/**
 * Whether a refusal may say that an endpoint's state permits no rotation, as the contract does not show which do: while the
 * previous secret is still valid, say. Details may be left out: then the reason may be any that is the caller's.
 */
export function permitsNoRotation(reply: Reply): boolean {
  if (reply.outcome !== "refused" || reply.row.change !== Change.ROTATES) return false;
  const { reason, status } = reply.error;
  return reason === undefined ? status >= 400 && status < 500 : reason === "FAILED_PRECONDITION";
}

/**
 * The reply to a call after which a secret was rotated before; as `needs`, but where the target permits no second rotation
 * it throws ChosenOtherwise.
 */
export function needsSecondRotation({ needs }: CaseContext, reply: Reply): JsonObject {
  if (reply.row.subject === "webhook_endpoint" && permitsNoRotation(reply)) {
    throw new ChosenOtherwise("the target refuses to rotate a signing secret again so soon");
  }
  return needs(reply);
}
