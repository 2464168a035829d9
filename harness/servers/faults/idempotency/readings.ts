import { subjectFieldOf } from "../../../../proto/resources.ts";
import { isReadOnly, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { ofUsers } from "../isolation/tenants.ts";
import { faultsAt } from "../table.ts";
import { answeringFirst } from "./replays.ts";

/** Readings of one record under a requestId. */
const readings: readonly RpcRow[] = rpcs.filter(
  (row) =>
    isReadOnly(row) && row.requestId !== undefined && row.record !== undefined && subjectFieldOf(row) !== undefined,
);

/** Readings of what a customer user has. */
const readingsOfUsers = rowsOf("beta.v1").filter(
  (row) => ofUsers(row) && isReadOnly(row) && !row.stream && (row.list !== undefined || row.record !== undefined),
);

export const otherUserIgnored: readonly Fault[] = faultsAt(readingsOfUsers, {
  id: "idempotency/shows-what-another-user-read",
  says: "answers a requestId under which another user of the app has read with what was shown to that one",
  breaks: "*.idempotency.tenant",
  decorate: answeringFirst(({ tenant }) => tenantKey({ ...tenant, customerUserId: "" })),
});

/** Readings under a requestId that end by themselves. */
const readingsOnce = rowsOf("beta.v1").filter((row) => isReadOnly(row) && !row.stream && row.requestId !== undefined);

export const otherWorkspaceIgnored: readonly Fault[] = faultsAt(readingsOnce, {
  id: "idempotency/shows-what-another-workspace-read",
  says: "answers a requestId under which another workspace has read with what was shown to that one",
  breaks: "*.idempotency.tenant",
  decorate: answeringFirst(() => ""),
});

export const otherRecordIgnored: readonly Fault[] = faultsAt(readings, {
  id: "idempotency/ignores-another-record",
  says: "answers a requestId that was used for one record with that one, whichever is asked for",
  breaks: "*.idempotency.changed-request",
  decorate: answeringFirst(({ tenant }) => tenantKey(tenant)),
});
