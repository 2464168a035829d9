import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { withoutState } from "../../harness/setup/required-state.ts";
import { listAt, sameJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { listRowOf } from "../../proto/resources.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";

/**
 * The field of a creating request that names the parent its record is listed under: of a kind that can be created freshly,
 * so that what is created under it can be counted. Of several, the last is the closest.
 */
export function parentOf(row: RpcRow): FactField | undefined {
  const shown = new Set(
    listRowOf(row.subject, row.package, row.peers) && row.resource?.fields.map((one) => one.jsonName),
  );
  const isCreatable = (kind: string) =>
    row.peers.some((one) => one.subject === kind && one.effect === Effect.CREATE && one.requestId && one.record);
  return row.ids.findLast(({ name, facts }) => isCreatable(facts.names) && shown.has(name));
}

/** A request field that names a parent. */
export function naming({ name, field }: FactField, id: JsonValue): JsonObject {
  return { [name]: field.fieldKind === "list" ? [id] : id };
}

/** True where a record holds an id in a field, alone or among others. */
function holds(record: JsonObject, field: string, id: JsonValue): boolean {
  const value = record[field];
  return Array.isArray(value) ? listAt(record, field).some((one) => sameJson(one, id)) : sameJson(value, id);
}

/**
 * How many records are listed under a parent, of the kind that the case's RPC creates, and the pages that show it.
 *
 * @param within request fields that narrow the listing to whose they are
 */
export async function countUnder(
  context: CaseContext,
  parent: FactField,
  id: JsonValue,
  within: JsonObject = {},
): Promise<{ readonly count: number; readonly replies: readonly Reply[] }> {
  const { row, setup } = context;
  const list = listRowOf(row.subject, row.package);
  if (list === undefined) throw new Error(`nothing lists what ${row.name} creates`);
  // Where the listing can be narrowed to the parent, that may be required.
  const narrowed = list.filters.some(({ name }) => name === parent.name) ? { [parent.name]: id } : {};
  const asked = { ...withoutState(list, await setup.request(list, undefined)), ...within, ...narrowed };
  const { records, replies } = await listAll(context, list, asked, { baseUrl: await setup.homeUrl(list) });
  return { count: records.filter((record) => holds(record, parent.name, id)).length, replies };
}
