import type { JsonValue } from "@bufbuild/protobuf";
import { Change } from "../../proto/rpcs.ts";
import { isDefault, sameJson } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { idIn } from "./subject.ts";

/**
 * Whether a served redelivery shows a delivery of its own, not the one it was asked of. Whether it changes that one is not
 * shown: such calls may all have found its current version, and none may have moved it.
 */
export function showsOwnDelivery(reply: Reply, askedOf: JsonValue): boolean {
  if (reply.outcome !== "served" || reply.row.change !== Change.REDELIVERS) return false;
  const shown = idIn(reply);
  return !isDefault(shown) && !sameJson(shown, askedOf);
}

/** Why there is nothing to ask about the delivery that a redelivery is asked of. */
export const ownDeliveryChoice = "a redelivery is a delivery of its own, and need not change the one it is asked of";
