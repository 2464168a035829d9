import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { factsOf, resourceOf } from "../../proto/rpcs.ts";
import { isDefault, listAt, textAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";

/** A record in a reply: its JSON, its message type, its kind of resource, and its path in the reply (`secrets[2]`). */
export interface FoundRecord {
  readonly record: JsonObject;
  readonly message: DescMessage;
  readonly kind: string;
  readonly at: string;
}

const found = new WeakMap<Reply, readonly FoundRecord[]>();

/**
 * The records of resources in the messages of a served reply; records inside other records are left out. The result is
 * cached per reply, as several rules ask for it.
 */
export function recordsIn(reply: Reply): readonly FoundRecord[] {
  const known = found.get(reply);
  if (known !== undefined) return known;
  const records = findRecords(reply);
  found.set(reply, records);
  return records;
}

function findRecords(reply: Reply): FoundRecord[] {
  if (reply.outcome !== "served") return [];
  const { row } = reply;
  return reply.messages.flatMap(({ json }, messageIndex) =>
    row.output.fields.flatMap((field): FoundRecord[] => {
      const message = messageOf(field);
      const kind = message === undefined ? undefined : resourceOf(message);
      if (message === undefined || kind === undefined) return [];
      const base = row.stream ? `message[${messageIndex}].${field.jsonName}` : field.jsonName;
      const values: readonly JsonValue[] =
        field.fieldKind === "list" ? listAt(json, field.jsonName) : [json[field.jsonName] ?? null];
      return values.flatMap((value, index) =>
        isObject(value)
          ? [{ record: value, message, kind, at: field.fieldKind === "list" ? `${base}[${index}]` : base }]
          : [],
      );
    }),
  );
}

function messageOf(field: DescField): DescMessage | undefined {
  if (field.fieldKind === "message") return field.message;
  return field.fieldKind === "list" && field.listKind === "message" ? field.message : undefined;
}

/** Kinds of resource that are tenants: a request names its tenant by an id of one of these kinds. */
export const tenantKinds = new Set(["workspace", "app", "customer_user"]);

/** The first page of a listing that contains an id, else the last page; undefined without pages. */
export function pageNaming(replies: readonly Reply[], id: JsonValue | undefined): Reply | undefined {
  const text = textAt(id, "value").toLowerCase();
  const names = (reply: Reply) => reply.outcome === "served" && JSON.stringify(reply.json).toLowerCase().includes(text);
  return replies.find(names) ?? replies.at(-1);
}

/** Whether a record is switched off, where its kind has a switch: a webhook endpoint that is disabled. */
export function isSwitchedOff(message: DescMessage, record: JsonObject): boolean {
  const switched = message.fields.find((field) => factsOf(field).switches);
  return switched !== undefined && Object.keys(record).length > 0 && isDefault(record[switched.jsonName]);
}
