import { distinguishingFieldOf, listRowOf, readRowOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Rows that make a record under a requestId. */
export const making = (row: RpcRow) =>
  row.requestId !== undefined && row.effect === Effect.CREATE && row.record !== undefined;

/** Those whose record can be told by what it was asked to be: its copies can be counted. */
export const countable = (row: RpcRow) => making(row) && distinguishingFieldOf(row) !== undefined;

/** Kinds that move on by themselves: a version that changed may be their own doing. */
const restless = new Set(["job", "run", "webhook_delivery"]);

/** Kinds that can be looked at again. */
const shown = ({ subject, package: name }: RpcRow) =>
  readRowOf(subject, name) !== undefined || listRowOf(subject, name) !== undefined;

/** Rows that change a record nothing else changes. */
export const movedBy = (row: RpcRow) =>
  row.requestId !== undefined &&
  (row.effect === Effect.UPDATE || row.effect === Effect.DELETE) &&
  row.expectedVersion !== undefined &&
  shown(row) &&
  !restless.has(row.subject);
