import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect, factsOf, type PackageName, resourceOf, rpcs } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { isDefault, listAt, objectAt, sameJson, showJson, textAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { isBefore, sameValue } from "./agreement.ts";
import { holdsDocument, sameDocument } from "./documents.ts";

/** A record in a reply, and where it stands. */
export interface FoundRecord {
  readonly record: JsonObject;
  readonly message: DescMessage;
  readonly kind: string;
  readonly at: string;
}

const found = new WeakMap<Reply, readonly FoundRecord[]>();

/** Every record of a resource in the messages of a reply, nested ones left aside. Kept: several rules ask. */
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
  return reply.messages.flatMap(({ json }, index) =>
    row.output.fields.flatMap((field): FoundRecord[] => {
      const message = messageOf(field);
      const kind = message === undefined ? undefined : resourceOf(message);
      if (message === undefined || kind === undefined) return [];
      const base = row.stream ? `message[${index}].${field.jsonName}` : field.jsonName;
      const values: readonly JsonValue[] =
        field.fieldKind === "list" ? listAt(json, field.jsonName) : [json[field.jsonName] ?? null];
      return values.flatMap((value, place) =>
        isObject(value)
          ? [{ record: value, message, kind, at: field.fieldKind === "list" ? `${base}[${place}]` : base }]
          : [],
      );
    }),
  );
}

function messageOf(field: DescField): DescMessage | undefined {
  if (field.fieldKind === "message") return field.message;
  return field.fieldKind === "list" && field.listKind === "message" ? field.message : undefined;
}

const ownId = (message: DescMessage) => message.fields.find((field) => factsOf(field).ownId);

/** Fields a request names its tenant by. */
export const tenantKinds = new Set(["workspace", "app", "customer_user"]);

/** Breaches of identity: a record names another tenant, or another resource, than the request. */
export function judgeIdentity(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    reply.row.ids.flatMap((id): Breach[] => {
      const asked = reply.request[id.name];
      if (asked === undefined || isDefault(asked) || Array.isArray(asked)) return [];
      const { names } = id.facts;
      const named = tenantKinds.has(names)
        ? message.fields.find((field) => factsOf(field).names === names)
        : names === kind && reply.row.subject === kind
          ? ownId(message)
          : undefined;
      if (named === undefined || sameJson(record[named.jsonName], asked)) return [];
      return [
        {
          clause: "*.records.identity",
          at: `${at}.${named.jsonName}`,
          expected: `${showJson(asked)}, as ${id.name} of the request`,
          actual: showJson(record[named.jsonName]),
        },
      ];
    }),
  );
}

/** Two texts a server may take for one: normalised, trimmed, without case, or one URL. */
export function sameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  const plain = (text: string) => text.normalize("NFC").trim().toLowerCase();
  return plain(a) === plain(b) || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

/** Breaches of echo: the record of a call that makes or changes it does not show what the request stored. */
export function judgeEcho(reply: Reply): Breach[] {
  const { row, request } = reply;
  if (row.effect !== Effect.CREATE && row.effect !== Effect.UPDATE) return [];
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    kind !== row.subject
      ? []
      : row.input.fields.flatMap((field): Breach[] => {
          const sent = request[field.jsonName];
          const facts = factsOf(field);
          const own = message.fields.find((one) => one.jsonName === field.jsonName);
          if (sent === undefined || own === undefined || facts.expectedVersion || tenantKinds.has(facts.names))
            return [];
          const shown = record[field.jsonName];
          if (sameValue(sent, shown) || sameText(sent, shown)) return [];
          if (holdsDocument(field) && sameDocument(sent, shown)) return [];
          return [
            {
              clause: "*.records.echo",
              at: `${at}.${field.jsonName}`,
              expected: `${showJson(sent)}, as sent`,
              actual: showJson(shown),
            },
          ];
        }),
  );
}

const storing: readonly Effect[] = [Effect.CREATE, Effect.UPDATE];
const chosen = new Map<string, ReadonlySet<string>>();

/** Fields of a kind of record whose value callers choose: calls that make or change such records take one of that name. */
function chosenFields(kind: string, packageName: PackageName): ReadonlySet<string> {
  const key = `${packageName} ${kind}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const rows = rpcs.filter(
    (row) => row.package === packageName && row.subject === kind && storing.includes(row.effect),
  );
  const names = new Set(rows.flatMap((row) => row.input.fields.map((field) => field.jsonName)));
  chosen.set(key, names);
  return names;
}

/**
 * Breaches of fullness: a field every stored record fills is empty, or its state is unspecified. Whether what callers
 * choose may be empty is open, so of that only the reading of one record is judged: a caller knows what it asked for.
 */
export function judgeFilled(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    message.fields.flatMap((field): Breach[] => {
      if (!factsOf(field).always || !isDefault(record[field.jsonName])) return [];
      if (reply.row.effect !== Effect.READ && chosenFields(kind, reply.row.package).has(field.jsonName)) return [];
      const clause = field.fieldKind === "enum" ? "*.enums.specified" : "*.records.filled";
      return [{ clause, at: `${at}.${field.jsonName}`, expected: "a value", actual: showJson(record[field.jsonName]) }];
    }),
  );
}

/** Of the pages of a listing the first that names an id, or else the last. */
export function pageNaming(replies: readonly Reply[], id: JsonValue | undefined): Reply | undefined {
  const text = textAt(id, "value").toLowerCase();
  const names = (reply: Reply) => reply.outcome === "served" && JSON.stringify(reply.json).toLowerCase().includes(text);
  return replies.find(names) ?? replies.at(-1);
}

/** Pairs of times of which the second is not before the first. */
const orderedTimes = [
  ["createdAt", "updatedAt"],
  ["createdAt", "completedAt"],
  ["createdAt", "deliveredAt"],
  ["createdAt", "deletedAt"],
  ["createdAt", "expiresAt"],
  ["createdAt", "revokedAt"],
] as const;

/** Breaches of time: a record was changed, finished or expires before it was made. */
export function judgeTimes(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, at }) =>
    orderedTimes.flatMap(([first, second]): Breach[] => {
      const [one, other] = [record[first], record[second]];
      // Instants of one form compare as texts; reading each would be the dearest thing a long listing is put through.
      if (
        typeof one === "string" &&
        typeof other === "string" &&
        one.length === other.length &&
        /Z$/.test(one) &&
        one <= other
      ) {
        return [];
      }
      if (!isBefore(other, one)) return [];
      return [
        {
          clause: "*.records.times",
          at: `${at}.${second}`,
          expected: `not before ${first}, ${showJson(record[first])}`,
          actual: showJson(record[second]),
        },
      ];
    }),
  );
}

/** Breaches of a listing: an item that does not fit a filter, more items than asked for, no page information. */
export function judgeListing(reply: Reply): Breach[] {
  const { row, request } = reply;
  if (reply.outcome !== "served" || row.list === undefined) return [];
  const items = listAt(reply.json, row.list.name);
  const breaches: Breach[] = row.filters.flatMap((filter) => {
    const wanted = request[filter.name];
    const own = row.list?.field.message?.fields.find((field) => field.jsonName === filter.name);
    if (wanted === undefined || isDefault(wanted) || own === undefined) return [];
    return items.flatMap((item, index): Breach[] => {
      const value = isObject(item) ? item[filter.name] : undefined;
      if (sameJson(value, wanted)) return [];
      const at = `${row.list?.name}[${index}].${filter.name}`;
      return [{ clause: "*.filters.hold", at, expected: `${showJson(wanted)}, as filtered`, actual: showJson(value) }];
    });
  });
  const size = Number(objectAt(request, "page").pageSize ?? 0);
  if (size > 0 && items.length > size) {
    breaches.push({
      clause: "*.paging.size",
      at: row.list.name,
      expected: `at most ${size} items`,
      actual: `${items.length}`,
    });
  }
  return breaches;
}
