import { distinguishingFieldOf } from "../../proto/resources.ts";
import { ChangesItself, Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Rows that make a record under a requestId. */
export const making = (row: RpcRow) =>
  row.requestId !== undefined && row.effect === Effect.CREATE && row.record !== undefined;

/** Those whose record can be told by what it was asked to be: its copies can be counted. */
export const countable = (row: RpcRow) => making(row) && distinguishingFieldOf(row) !== undefined;

/** Rows that change a record no work changes, and that can be looked at again. */
export const movedBy = (row: RpcRow) =>
  row.requestId !== undefined &&
  (row.effect === Effect.UPDATE || row.effect === Effect.DELETE) &&
  row.expectedVersion !== undefined &&
  row.resource !== undefined &&
  row.changesItself !== ChangesItself.BY_WORK;
