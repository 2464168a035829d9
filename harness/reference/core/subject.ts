import type { Message } from "@bufbuild/protobuf";
import { Effect } from "../../../proto/rpcs.ts";
import type { Context } from "./context.ts";
import { idText, readField, readId } from "./fields.ts";
import { refuse } from "./refusal.ts";

/**
 * The record the request names by the row's own id. Refuses an unknown one, and one of another workspace the same way.
 * Tombstones can be read, not changed. Undefined for rows that create or list, and for subjects without a table.
 */
export function findSubject(context: Context): Message | undefined {
  const { row, request, world, workspaceId } = context;
  const table = world.tables[row.subject];
  if (table === undefined || row.effect === Effect.CREATE || row.effect === Effect.LIST) return undefined;
  const id = readId(
    request,
    row.ids.find((fact) => fact.facts.names === row.subject),
  );
  const entry = id === undefined ? undefined : table.find(id);
  const known = entry !== undefined && workspaceOf(entry.record) === workspaceId;
  if (!known || (entry.deleted && row.effect !== Effect.READ)) {
    refuse("RESOURCE_NOT_FOUND", `no such ${row.subject.replaceAll("_", " ")}`);
  }
  return entry.record;
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
