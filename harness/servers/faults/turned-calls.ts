import { ApprovalDecision } from "../../../proto/gen/beta/v1/resources_pb.js";
import type { Context } from "../reference/core/context.ts";
import { readField } from "../reference/core/fields.ts";

/** Which calls of an RPC are meant. */
export type When = (context: Context) => boolean;

/** Calls that name a field. */
export const given =
  (field: string): When =>
  ({ call }) =>
    call.request[field] !== undefined;

/** Calls that turn something on, or off. */
export const enabling =
  (enabled: boolean): When =>
  ({ request }) =>
    (readField(request, "enabled") === true) === enabled;

/** Decisions against something. */
export const rejecting: When = ({ request }) => readField(request, "decision") === ApprovalDecision.REJECT;
