import { rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

export const emptyListingsRefused: readonly Fault[] = faultsAt(
  rpcs.filter((row) => row.subject === "webhook_delivery" && row.list !== undefined),
  {
    id: "events/refuses-an-empty-listing",
    says: "refuses an endpoint without deliveries as not found",
    breaks: "*.paging.shape",
    decorate: wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const listed = readField(reply as typeof request, context.row.list?.field.localName ?? "");
      if (Array.isArray(listed) && listed.length === 0) refuse("RESOURCE_NOT_FOUND", "no such deliveries");
      return reply;
    }),
  },
);
