import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { messageOfKind, recordFields } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { differences } from "../oracles/agreement.ts";
import { idKey, isDefault, objectAt, showJson, textAt } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";
import { isOver } from "../wire/states.ts";

/** A record that a row showed, as a subject; `more` is what is known beside. */
export function subjectFrom(row: RpcRow, record: JsonObject, more: Partial<Subject> = {}): Subject {
  return {
    kind: row.subject,
    id: record[recordFields(row).id] ?? null,
    record,
    version: versionOf(record),
    changesOnlyByMutation: true,
    ...ofUser(record.customerUserId),
    ...more,
  };
}

/**
 * What a served call made or changed, as a subject. It is what the request named, whatever the reply says it is: one that names
 * another is a breach of its own, and what is asked next is not to be about that.
 */
export function subjectIn(reply: Reply): Subject {
  const { row, request } = reply;
  // Who was asked for narrows what is asked next, too.
  const shown = subjectFrom(row, recordIn(reply), ofUser(request.customerUserId));
  const name = row.ids.find(({ facts }) => facts.names === row.subject)?.name;
  const asked = name === undefined ? undefined : request[name];
  // The same id may be spelled in more than one way.
  const isOther = asked !== undefined && !isDefault(asked) && idKey(asked) !== idKey(shown.id);
  return isOther ? { ...shown, id: asked } : shown;
}

function ofUser(customerUserId: JsonValue | undefined): Pick<Subject, "within"> {
  return customerUserId === undefined || customerUserId === null ? {} : { within: { customerUserId } };
}

/** True for a record shown as deleted, by targets that keep what was deleted readable. */
export function isTombstone(record: JsonObject): boolean {
  return textAt(record, "deletedAt") !== "" || /_STATE_DELETED$/.test(textAt(record, "state"));
}

/** What moves in the record of work whose cost comes to be settled once it has ended. */
const movedByCost = new Set(["settledCustomerCost", "resourceVersion", "updatedAt"]);

/** Whether work that had ended without a cost has one now, and is the same otherwise: when it is settled is not shown. */
function hasCostSince(before: JsonObject, record: JsonObject, different: readonly string[]): boolean {
  const [had, has] = [before, record].map((one) => !isDefault(one.settledCustomerCost));
  return isOver(before) && had === false && has === true && different.every((name) => movedByCost.has(name));
}

/**
 * The fields in which a record differs from what it was before, as they were and as they are, as JSON of these fields alone;
 * undefined where it differs in none that the contract knows, or by a cost alone that came meanwhile.
 */
export function changeOf(
  packageName: string,
  before: Subject,
  record: JsonObject,
): { readonly names: readonly string[]; readonly was: string; readonly is: string } | undefined {
  const names = differences(messageOfKind(before.kind, packageName), before.record, record);
  if (names.length === 0 || hasCostSince(before.record, record, names)) return undefined;
  const only = (whole: JsonObject) => Object.fromEntries(names.map((name) => [name, whole[name] ?? null]));
  return { names, was: showJson(only(before.record)), is: showJson(only(record)) };
}

/** The record in a reply, by the row's own shape. */
export function recordIn(reply: Reply): JsonObject {
  return reply.outcome === "served" && reply.row.record !== undefined
    ? objectAt(reply.json, reply.row.record.name)
    : {};
}

/** The record a served reading shows. Throws Unproven where it shows none: an empty one would say of its resource what is not so. */
export function shownIn(reply: Reply): JsonObject {
  const record = recordIn(reply);
  if (Object.keys(record).length > 0) return record;
  throw new Unproven(`needs ${reply.row.name} to show a record, which was ${describeReply(reply)}`, reply);
}

/** The own id of the record in a reply; null where there is none. */
export function idIn(reply: Reply): JsonValue {
  return recordIn(reply)[recordFields(reply.row).id] ?? null;
}

/** The own id of the record in a reply. Throws Unproven where there is none: what has no id is not the same as another. */
export function ownIdIn(reply: Reply): JsonValue {
  const id = idIn(reply);
  if (isDefault(id)) throw new Unproven(`needs ${reply.row.name} to show the id of its ${reply.row.subject}`);
  return id;
}

/** The version a record carries, as text; "0" where it carries none (absent and zero read alike). */
export function versionOf(record: JsonObject): string {
  return textAt(record, "resourceVersion") || "0";
}
