import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect, type RpcRow, resourceOf, rpcs } from "../../proto/rpcs.ts";
import { sameRecord } from "../oracles/agreement.ts";
import type { CallOptions } from "../runner/call.ts";
import { type CaseContext, Unproven } from "../runner/context.ts";
import { isDefault, listAt, objectAt, sameJson, textAt } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";

/** One resource on the target, as its owner sees it. */
export interface Subject {
  /** Spelled as in the proto options: `secret`, `job`, … */
  readonly kind: string;
  /** As ids stand in JSON: `{ value }`, or a string for mini apps. */
  readonly id: JsonValue;
  /** The record as it was last seen. */
  readonly record: JsonObject;
  /** Name of the RPC that showed it so, where that is known. */
  readonly shownBy?: string;
  /** Its version then, as text. */
  readonly version: string;
  /** Request fields that narrow a listing to where the subject is: the endpoint of a delivery. */
  readonly within?: JsonObject;
  /** Nothing but a mutation changes it: its record may be compared whole. */
  readonly steady: boolean;
  /** Where it is served, if not at the RPC's usual base URL. */
  readonly baseUrl?: string | undefined;
}

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

/** Whether a record is what it was before, as far as the contract knows its fields. */
export function isAsBefore(packageName: string, before: Subject, record: JsonObject): boolean {
  return sameRecord(messageOfKind(before.kind, packageName), before.record, record);
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

/** Kinds that somebody else's change leaves as usable as before. */
export const changeableKinds: ReadonlySet<string> = new Set([
  "secret",
  "webhook_endpoint",
  "customer_user",
  "memory_item",
  "memory_settings",
]);

/** Kinds that nothing but a mutation changes. */
export const settledKinds: ReadonlySet<string> = new Set([...changeableKinds, "session"]);

/**
 * The subject at another version than zero, as what an expected version of zero does is open: where versions begin there,
 * after a change by somebody else. The subject itself where nothing changes its kind.
 */
export async function pastVersionZero({ setup }: CaseContext, subject: Subject): Promise<Subject> {
  return subject.version === "0" ? ((await setup.change(subject)) ?? subject) : subject;
}

/** Pages of a listing that goes on showing what was not seen before: how many items a page holds is the server's to say. */
const maxPages = 1000;

/** Pages that show nothing new, one after another: there is no end to come. */
const maxFruitless = 100;

/**
 * Lists the records of a row, page by page: all, or until `enough` has been seen on one. `ended` is false where it
 * leads in a circle, or on and on to nothing new. Throws Unproven where there is more than can be read.
 */
export async function listAll(
  context: CaseContext,
  row: RpcRow,
  request: JsonObject,
  options: CallOptions = {},
  enough: (page: readonly JsonObject[]) => boolean = () => false,
): Promise<{ readonly records: readonly JsonObject[]; readonly replies: readonly Reply[]; readonly ended: boolean }> {
  const records: JsonObject[] = [];
  const replies: Reply[] = [];
  const turnedBefore = new Set<string>();
  const seenBefore = new Set<string>();
  let fruitless = 0;
  let cursor = "";
  for (let turned = 0; turned < maxPages; turned += 1) {
    // Another page is another request.
    const fresh = row.requestId === undefined ? {} : { [row.requestId.name]: context.setup.requestId() };
    const page = { ...objectAt(request, "page"), cursor };
    const reply = await context.call(row, { ...request, ...fresh, page }, options);
    replies.push(reply);
    const json = context.needs(reply);
    const items = listAt(json, row.list?.name ?? "") as JsonObject[];
    records.push(...items);
    // The same cursor with the same items again: there is no end to come. A cursor alone may be a handle that stays.
    const seen = `${cursor} ${JSON.stringify(items)}`;
    if (items.length > 0 && turnedBefore.has(seen)) return { records, replies, ended: false };
    turnedBefore.add(seen);
    cursor = textAt(json, "page.nextCursor");
    if (cursor === "" || enough(items)) return { records, replies, ended: true };
    const known = seenBefore.size;
    for (const item of items) seenBefore.add(JSON.stringify(item));
    fruitless = seenBefore.size > known ? 0 : fruitless + 1;
    if (fruitless >= maxFruitless) return { records, replies, ended: false };
  }
  throw new Unproven(`needs a listing that can be read; ${row.name} goes on after ${maxPages} pages`);
}

/** Finds a record by id among the listed. */
export function findRecord(records: readonly JsonObject[], row: RpcRow, id: JsonValue): JsonObject | undefined {
  const { id: field } = recordFields(row);
  return records.find((record) => sameJson(record[field], id));
}

/**
 * The subject once no work goes on behind the reply to a mutation: an upload may be verified after it was completed,
 * a run be canceled for a while.
 * As it is by then where patience ends first; undefined where it is gone.
 */
export async function untilSettled(context: CaseContext, subject: Subject): Promise<Subject | undefined> {
  let now: Subject | undefined;
  await context.poll(async () => {
    now = await context.setup.current(subject);
    return now === undefined || !/_(PENDING|CANCELING)/.test(textAt(now.record, "state")) ? true : undefined;
  }, context.target.settings.patience.settleMs);
  return now;
}
