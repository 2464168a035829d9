import type { FactField, RpcRow } from "../rpcs.ts";

/** Names of a row's fields that have a part of their own, by that part: `conditional on` → `expectedResourceVersion`. */
export function partsOf(row: RpcRow): Readonly<Record<string, readonly string[]>> {
  const parts: Readonly<Record<string, readonly (FactField | undefined)[]>> = {
    "names by id": row.ids,
    "idempotency id": [row.requestId],
    "conditional on": [row.expectedVersion],
    filters: row.filters,
    "resumes after": [row.resumeAfter],
    "write-only": row.writeOnly,
    "plaintext credential": row.plaintext,
    "lists records in": [row.list],
    "answers the record in": [row.record],
  };
  return Object.fromEntries(
    Object.entries(parts)
      .map(([part, of]) => [part, of.flatMap((field) => (field === undefined ? [] : [field.name]))] as const)
      .filter(([, of]) => of.length > 0),
  );
}
