import type { Message } from "@bufbuild/protobuf";
import { Effect, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { readId } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Refuses a requestId that another workspace has used: what is remembered of one is in the way of all. */
const conflictingElsewhere = () => {
  const used = new Map<string, string>();
  return replacing((parts) => ({
    idempotent(context, effect) {
      const id = readId(context.request as Message, context.row.requestId);
      const tenant = tenantKey(context.tenant);
      if (id !== undefined) {
        const first = used.get(id) ?? tenant;
        if (first !== tenant) refuse("IDEMPOTENCY_CONFLICT", "this requestId was used for another request");
        used.set(id, first);
      }
      return parts.idempotent(context, effect);
    },
  }));
};

export const conflictsAcrossTenants: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) => row.effect === Effect.CREATE && row.record !== undefined && !row.fixture && row.requestId !== undefined,
  ),
  {
    id: "idempotency/conflicts-with-another-tenant",
    says: "refuses a requestId that another tenant has used",
    breaks: "*.idempotency.tenant",
    decorate: (row) => conflictingElsewhere()(row),
  },
);
