import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow, resourceOf, rpcs } from "./rpcs.ts";

/** The row that reads one record of a kind, if the package has one. */
export function readRowOf(kind: string, packageName: string): RpcRow | undefined {
  return rpcs.find(
    (row) =>
      row.package === packageName &&
      row.effect === Effect.READ &&
      row.subject === kind &&
      row.record !== undefined &&
      row.output.fields.length === 1,
  );
}

/** The row that lists records of a kind. */
export function listRowOf(kind: string, packageName: string): RpcRow | undefined {
  return rpcs.find((row) => row.package === packageName && row.effect === Effect.LIST && row.subject === kind);
}

/** The row that deletes a record of a kind. */
export function deleteRowOf(kind: string, packageName: string): RpcRow | undefined {
  return rpcs.find((row) => row.package === packageName && row.effect === Effect.DELETE && row.subject === kind);
}

/** The message of the records a row shows. */
export function messageOf(row: RpcRow): DescMessage | undefined {
  return (row.record ?? row.list)?.field.message;
}

/** The message of the records of a kind. */
export function messageOfKind(kind: string, packageName: string): DescMessage {
  const row = readRowOf(kind, packageName) ?? listRowOf(kind, packageName);
  const message = row === undefined ? undefined : messageOf(row);
  if (message === undefined) throw new Error(`nothing shows a ${kind}`);
  return message;
}

/** Fields a record may be told by, the likeliest to be unique first. */
const marks = ["name", "externalUserId", "url"];

/** The field of a creating request by which the record it made is told among others, if there is one. */
export function distinguishingFieldOf(row: RpcRow): string | undefined {
  const message = row.record?.field.message;
  return marks.find((mark) =>
    [row.input, message].every((one) => one?.fields.some((field) => field.jsonName === mark)),
  );
}

/** The request field of a row that names its subject. */
export function subjectFieldOf(row: RpcRow): string | undefined {
  return row.ids.find((id) => id.facts.names === row.subject && !id.facts.filter)?.name;
}

/** Filters of a listing that name other things, filled as a listed record names them. */
export function namingFilters(row: RpcRow, record: JsonObject): JsonObject {
  const naming = row.filters.filter(({ facts }) => facts.names !== "");
  return Object.fromEntries(naming.flatMap(({ name }) => (record[name] === undefined ? [] : [[name, record[name]]])));
}

/** Name of the record field that holds a kind's own id, and of the one that holds its version. */
export function recordFields(row: RpcRow): { readonly id: string; readonly version: string | undefined } {
  const message = messageOf(row);
  const own = message?.fields.find((field) => factsNames(row, field.jsonName) === row.subject);
  const version = message?.fields.find((field) => field.jsonName === "resourceVersion");
  return { id: own?.jsonName ?? "id", version: version?.jsonName };
}

function factsNames(row: RpcRow, jsonName: string): string | undefined {
  const message = messageOf(row);
  if (message === undefined || resourceOf(message) !== row.subject) return undefined;
  // A record's own id is named `id` in alpha.v1 and `<kind>Id` in beta.v1.
  const camel = row.subject.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return jsonName === "id" || jsonName === `${camel}Id` ? row.subject : undefined;
}
