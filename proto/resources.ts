import type { DescField, DescMessage, JsonObject } from "@bufbuild/protobuf";
import {
  Change,
  ChangesItself,
  type CredentialKind,
  Effect,
  type FactField,
  factsOf,
  type RpcRow,
  rpcs,
} from "./rpcs.ts";

/** The row that reads one record of a kind, if the package has one. */
export function readRowOf(kind: string, packageName: string, rows = rpcs): RpcRow | undefined {
  return rows.find((row) => row.package === packageName && row.readsRecord && row.subject === kind);
}

/** The row that lists records of a kind. */
export function listRowOf(kind: string, packageName: string, rows = rpcs): RpcRow | undefined {
  return rows.find((row) => row.package === packageName && row.effect === Effect.LIST && row.subject === kind);
}

/** The row that deletes a record of a kind. */
export function deleteRowOf(kind: string, packageName: string, rows = rpcs): RpcRow | undefined {
  return rows.find((row) => row.package === packageName && row.effect === Effect.DELETE && row.subject === kind);
}

/** The rows about the kind of resource that a row is about, itself included. */
export function siblingsOf(row: RpcRow): readonly RpcRow[] {
  return row.peers.filter(({ subject }) => subject === row.subject);
}

/** The kinds of credential that the package of a row knows, in the order of their numbers. */
export function kindsOf(row: RpcRow): readonly CredentialKind[] {
  return [...new Set(row.peers.flatMap(({ credentials }) => credentials))].sort((a, b) => a - b);
}

/** The kinds of credential that the package of a row knows and the row does not accept. */
export function otherKindsOf(row: RpcRow): readonly CredentialKind[] {
  return kindsOf(row).filter((kind) => !row.credentials.includes(kind));
}

/** The row about the same kind of resource that does this to it, if the package has one. */
export function changingRowOf(row: RpcRow, change: Change): RpcRow | undefined {
  return siblingsOf(row).find((one) => one.change === change);
}

/** The message of the records a row shows. */
export function messageOf(row: RpcRow): DescMessage | undefined {
  return (row.record ?? row.list)?.field.message;
}

/** The message of the records of a kind. */
export function messageOfKind(kind: string, packageName: string): DescMessage {
  const message = rpcs.find((row) => row.package === packageName && row.subject === kind)?.resource;
  if (message === undefined) throw new Error(`nothing shows a ${kind}`);
  return message;
}

/** Somebody else's change leaves the row's subject as usable as before: there is a way to set it or to rotate it. */
export function isChangeable(row: RpcRow): boolean {
  const changes = siblingsOf(row).some(({ change }) => change === Change.SETS || change === Change.ROTATES);
  return changes && row.changesItself !== ChangesItself.BY_WORK;
}

/** Nothing but a call changes the records of the row's kind, as far as the document tells. */
export function isSteady(row: RpcRow): boolean {
  return row.resource !== undefined && row.changesItself === ChangesItself.UNSPECIFIED;
}

/** The row changes one record, at the version that it expects of it, and shows it. */
export function isChangedAtItsVersion(row: RpcRow): boolean {
  return row.effect === Effect.UPDATE && row.record !== undefined && row.expectedVersion !== undefined;
}

/** Fields of the row's record that its request gives a value. */
export function storedFields(row: RpcRow): readonly DescField[] {
  const sent = new Set(row.input.fields.map((field) => field.jsonName));
  return row.record?.field.message?.fields.filter((field) => sent.has(field.jsonName)) ?? [];
}

/** The field of a creating request by which the record it made is told among others, if there is one. */
export function distinguishingFieldOf(row: RpcRow): string | undefined {
  return storedFields(row).find((field) => factsOf(field).mark)?.jsonName;
}

/** The name that a row stores and its record shows, if there is one. */
export function nameFieldOf(row: RpcRow): string | undefined {
  return storedFields(row).find((field) => factsOf(field).name)?.jsonName;
}

/** The row sets what switches its record on and off. */
export function switches(row: RpcRow): boolean {
  return row.change === Change.SETS && storedFields(row).some((field) => factsOf(field).switches);
}

/** The message of the records that an id of a row names; undefined where the row's package shows none. */
export function namedResource(row: RpcRow, { facts }: FactField): DescMessage | undefined {
  return row.peers.find(({ subject }) => subject === facts.names)?.resource;
}

/** The request field of a row that names its subject. */
export function subjectFieldOf(row: RpcRow): string | undefined {
  return row.ids.find((id) => id.facts.names === row.subject && !id.facts.filter)?.name;
}

/** What the request of a row takes beside its ids, its requestId, the version it expects and its page. */
export function argumentsOf(row: RpcRow): readonly DescField[] {
  const given = new Set([...row.ids, ...row.filters, row.requestId, row.expectedVersion].map((one) => one?.field));
  return row.input.fields.filter((field) => !given.has(field) && field.message?.name !== "PageRequest");
}

/** Filters of a listing that name other things, filled as a listed record names them. */
export function namingFilters(row: RpcRow, record: JsonObject): JsonObject {
  const naming = row.filters.filter(({ facts }) => facts.names !== "");
  return Object.fromEntries(naming.flatMap(({ name }) => (record[name] === undefined ? [] : [[name, record[name]]])));
}

/** A request of a listing without the filters that name other things. */
export function withoutNamingFilters(row: RpcRow, request: JsonObject): JsonObject {
  const naming = new Set(row.filters.flatMap(({ name, facts }) => (facts.names === "" ? [] : [name])));
  return Object.fromEntries(Object.entries(request).filter(([name]) => !naming.has(name)));
}

/** A listing's request without the filters that name other things; undefined where it has none of them. */
export function widerListing(row: RpcRow, request: JsonObject): JsonObject | undefined {
  const wide = withoutNamingFilters(row, request);
  return Object.keys(wide).length < Object.keys(request).length ? wide : undefined;
}

/** Name of the record field that holds a kind's own id, and of the one that holds its version. */
export function recordFields(row: RpcRow): { readonly id: string; readonly version: string | undefined } {
  const fields = messageOf(row)?.fields ?? [];
  const own = fields.find((field) => factsOf(field).ownId);
  const version = fields.find((field) => factsOf(field).resourceVersion);
  return { id: own?.jsonName ?? "id", version: version?.jsonName };
}
