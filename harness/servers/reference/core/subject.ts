import type { Message } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import type { Context, Tenant } from "./context.ts";
import { idText, readField, readId } from "./fields.ts";
import { refuse } from "./refusal.ts";
import type { Table } from "./store.ts";

/**
 * The record the request names by the row's own id. Refuses an unknown one, and one of another workspace the same way.
 * Tombstones can be read, not changed. Undefined for rows that create or list, and for subjects without a table.
 */
export function findSubject(context: Context): Message | undefined {
  const { row, request, world } = context;
  const table = world.tables[row.subject];
  if (table === undefined || row.effect === Effect.CREATE || row.effect === Effect.LIST) return undefined;
  const id = readId(
    request,
    row.ids.find((fact) => fact.facts.names === row.subject),
  );
  return findRecord(context, table, id, row.subject);
}

/** The tenant's record with this id. Refuses an unknown one, and one of somebody else the same way, as a `kind`. */
export function findRecord<T extends Message>(
  { row, tenant }: Context,
  table: Table<T>,
  id: string | undefined,
  kind: string,
): T {
  const entry = id === undefined ? undefined : table.find(id);
  const known = entry !== undefined && isPartOf(entry.tenant, tenant);
  if (!known || (entry.deleted && row.effect !== Effect.READ)) {
    refuse("RESOURCE_NOT_FOUND", `no such ${kind.replaceAll("_", " ")}`);
  }
  return entry.record;
}

/** Whether what `inner` owns is `outer`'s: the same workspace and app, and the same customer user where both name one. */
function isPartOf(inner: Tenant, outer: Tenant): boolean {
  const named = inner.customerUserId !== "" && outer.customerUserId !== "";
  return (
    inner.workspaceId === outer.workspaceId &&
    inner.appId === outer.appId &&
    (!named || inner.customerUserId === outer.customerUserId)
  );
}

/** The workspace a record belongs to. */
export function workspaceOf(record: Message): string {
  return idText(readField(record, "workspaceId") as { value: string } | undefined);
}

/** The version a mutation is conditional on, or undefined where its RPC takes none. */
export function expectedVersionOf({ row, request }: Context): bigint | undefined {
  return row.expectedVersion && (readField(request, row.expectedVersion.field.localName) as bigint);
}

/** Refuses a mutation whose expected version is not the subject's. */
export function checkVersion(context: Context): void {
  const { row, subject, world } = context;
  const expected = expectedVersionOf(context);
  if (row.expectedVersion === undefined || expected === undefined || subject === undefined) return;
  if (expected === 0n && world.choices.omittedExpectedVersion === "unconditional") return;
  if (expected === 0n && world.choices.omittedExpectedVersion === "invalid") {
    const violations = [{ field: row.expectedVersion.name, description: "is required" }];
    refuse("INVALID_ARGUMENT", `invalid ${row.expectedVersion.name}`, { violations });
  }
  if (expected !== versionOf(subject)) {
    refuse("RESOURCE_VERSION_CONFLICT", "the resource is not at the expected version");
  }
}

/** The version of a record. */
export function versionOf(record: Message): bigint {
  return readField(record, "resourceVersion") as bigint;
}
