import { subjectFieldOf } from "../../../../proto/resources.ts";
import { isReadOnly, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { answeringFirst } from "./replays.ts";

/** Readings of one record under a requestId. */
const readings: readonly RpcRow[] = rpcs.filter(
  (row) =>
    isReadOnly(row) && row.requestId !== undefined && row.record !== undefined && subjectFieldOf(row) !== undefined,
);

export const otherRecordIgnored: readonly Fault[] = faultsAt(readings, {
  id: "idempotency/ignores-another-record",
  says: "answers a requestId that was used for one record with that one, whichever is asked for",
  breaks: "*.idempotency.changed-request",
  decorate: answeringFirst(({ tenant }) => tenantKey(tenant)),
});
