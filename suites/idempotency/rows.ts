import { distinguishingFieldOf } from "../../proto/resources.ts";
import { ChangesItself, Effect, type RpcRow } from "../../proto/rpcs.ts";

/** RPCs that create a record under a requestId. */
export const creating = (row: RpcRow) =>
  row.requestId !== undefined && row.effect === Effect.CREATE && row.record !== undefined;

/** Those whose record shows a field of the request that is unique to it: its copies can be counted. */
export const countable = (row: RpcRow) => creating(row) && distinguishingFieldOf(row) !== undefined;

/** RPCs that change a record which changes by no other cause, and which can be read again. */
export const mutatesSteadyRecord = (row: RpcRow) =>
  row.requestId !== undefined &&
  (row.effect === Effect.UPDATE || row.effect === Effect.DELETE) &&
  row.expectedVersion !== undefined &&
  row.resource !== undefined &&
  row.changesItself !== ChangesItself.BY_WORK;
