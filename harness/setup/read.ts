import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listRowOf, readRowOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import { failureCodes } from "../case/failure-codes.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { isDefault } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { findRecord, listAll } from "./listing.ts";
import { freshRequestId } from "./request-id.ts";
import { shownIn, versionOf } from "./subject.ts";

/** Throws Unproven where what names a subject was never shown: a call that names nothing says nothing of it. */
function named(kind: string, name: JsonValue | undefined): JsonValue {
  if (name === undefined || isDefault(name)) throw new Unproven(`needs the id of a ${kind}, which no reply showed`);
  return name;
}

/** Whether a record shows what the row that reads it names it by. */
export function isNamed(row: RpcRow, { kind, id, record }: Subject): boolean {
  return row.ids.every(({ facts }) => {
    if (facts.names === kind) return !isDefault(id);
    return facts.names !== "external_user" || !isDefault(record.externalUserId);
  });
}

/** Reads a subject by the row that reads one of its kind. Throws Unproven where nothing showed its id. */
export async function read(
  { call, row: { package: packageName }, setup }: CaseContext,
  subject: Subject,
  options: CallOptions = {},
): Promise<Reply> {
  const row = readRowOf(subject.kind, packageName);
  if (row === undefined) throw new Error(`nothing reads one ${subject.kind}`);
  const request: JsonObject = {
    ...freshRequestId(row, setup),
    ...setup.tenant(),
  };
  for (const { name, facts } of row.ids) {
    if (facts.names === subject.kind) request[name] = named(subject.kind, subject.id);
    else if (facts.names === "external_user") request[name] = named(subject.kind, subject.record.externalUserId);
    // What narrows its listing need not be a field of its reading.
    else if (subject.within?.[name] !== undefined) request[name] = subject.within[name];
  }
  return call(row, request, { baseUrl: subject.baseUrl, ...options });
}

/** Reads a subject, and once more where the target failed to: that says nothing of whether there is one. */
async function readUnlessItFails(context: CaseContext, subject: Subject): Promise<Reply> {
  const reply = await read(context, subject);
  return reply.outcome === "refused" && failureCodes.has(reply.error.code) ? read(context, subject) : reply;
}

/**
 * A subject as it is now, read or, where nothing reads its kind, listed; undefined where it is gone. What nothing shows at
 * all is returned as it is. Throws Unproven where the reading is broken.
 */
export async function current(context: CaseContext, subject: Subject): Promise<Subject | undefined> {
  const { row: about, needs } = context;
  const row = readRowOf(subject.kind, about.package);
  if (row !== undefined) {
    const reply = await readUnlessItFails(context, subject);
    if (reply.outcome === "refused") return undefined;
    if (reply.outcome === "broken") needs(reply);
    const record = shownIn(reply);
    return { ...subject, record, version: versionOf(record), shownBy: row.name };
  }
  const list = listRowOf(subject.kind, about.package);
  if (list === undefined) return subject;
  const id = named(subject.kind, subject.id);
  const record = findRecord(await listRecords(context, list, subject.within, subject.baseUrl), list, id);
  return record === undefined ? undefined : { ...subject, record, version: versionOf(record) };
}

/** All records a row lists, narrowed by request fields. */
export async function listRecords(
  context: CaseContext,
  list: RpcRow,
  within: JsonObject = {},
  baseUrl?: string,
): Promise<readonly JsonObject[]> {
  const { records } = await listAll(context, list, { ...context.setup.tenant(), ...within }, { baseUrl });
  return records;
}
