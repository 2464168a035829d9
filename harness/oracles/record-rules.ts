import { type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { Change, Effect, factsOf, type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { instantOf, isDefault, sameJson, showJson } from "../wire/json.ts";
import { minute } from "../wire/nanoseconds.ts";
import type { Reply } from "../wire/reply.ts";
import { isBefore, isRounded, sameText, sameValue } from "./agreement.ts";
import { holdsDocument, sameDocument } from "./documents.ts";
import { recordsIn, tenantKinds } from "./records.ts";

/** The field of a record that holds its own id. */
const ownId = (message: DescMessage) => message.fields.find((field) => factsOf(field).ownId);

/**
 * Breaches of `records.identity`: a record of another tenant, or of another resource, than the request named. A redelivery
 * may be a record of its own.
 */
export function judgeIdentity(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    reply.row.ids.flatMap((id): Breach[] => {
      const asked = reply.request[id.name];
      if (asked === undefined || isDefault(asked) || Array.isArray(asked)) return [];
      const { names } = id.facts;
      const named = tenantKinds.has(names)
        ? message.fields.find((field) => factsOf(field).names === names)
        : names === kind && reply.row.subject === kind && reply.row.change !== Change.REDELIVERS
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

/**
 * Whether a value says nothing of what is stored: an empty list is an absent one (PJ-28). An update without it may leave what there
 * is, and a creation may fill a default in: which fields are required is not shown.
 */
const isLeftOut = (sent: JsonValue) => Array.isArray(sent) && sent.length === 0;

/** Breaches of `records.echo`: the reply of a create or update shows another value than the request stored. */
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
          // A redelivery may be a record of its own.
          if (facts.names === kind && row.change === Change.REDELIVERS) return [];
          if (isLeftOut(sent)) return [];
          const shown = record[field.jsonName];
          if (sameValue(sent, shown) || sameText(sent, shown) || isRounded(sent, shown)) return [];
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

const storingEffects: readonly Effect[] = [Effect.CREATE, Effect.UPDATE];
const callerFieldsByKind = new Map<string, ReadonlySet<string>>();

/** JSON names of the fields that callers set: those of the requests that create or update a kind of record. */
export function callerFields(kind: string, packageName: PackageName): ReadonlySet<string> {
  const key = `${packageName} ${kind}`;
  const known = callerFieldsByKind.get(key);
  if (known !== undefined) return known;
  const rows = rpcs.filter(
    (row) => row.package === packageName && row.subject === kind && storingEffects.includes(row.effect),
  );
  const names = new Set(rows.flatMap((row) => row.input.fields.map((field) => field.jsonName)));
  callerFieldsByKind.set(key, names);
  return names;
}

/**
 * Whether a field links a record to another one that its creation named: whether it has to name one is not shown, as of the
 * session of a run. That the link which was named is there, replies that agree show.
 */
function isOptionalLink(field: DescField, kind: string, row: RpcRow): boolean {
  const { names, ownId: isOwn } = factsOf(field);
  if (isOwn || tenantKinds.has(names) || !callerFields(kind, row.package).has(field.jsonName)) return false;
  return row.peers.some(({ subject, resource }) => subject === names && resource !== undefined);
}

/** Whether a field shows nothing. A text that reads as another type's default, such as the name "0", is one. */
function isEmpty(value: JsonValue | undefined, field: DescField): boolean {
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING && typeof value === "string";
  return isText ? value === "" : isDefault(value);
}

/**
 * Breaches of `records.filled` and `enums.specified`: a field that every stored record fills is empty or unspecified.
 * Whether a field that callers set may be left empty is open, so such a field is judged only where one record was read.
 */
export function judgeFilled(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    message.fields.flatMap((field): Breach[] => {
      if (!factsOf(field).always || !isEmpty(record[field.jsonName], field)) return [];
      if (isOptionalLink(field, kind, reply.row)) return [];
      if (reply.row.effect !== Effect.READ && callerFields(kind, reply.row.package).has(field.jsonName)) return [];
      const clause = field.fieldKind === "enum" ? "*.enums.specified" : "*.records.filled";
      return [{ clause, at: `${at}.${field.jsonName}`, expected: "a value", actual: showJson(record[field.jsonName]) }];
    }),
  );
}

/** Pairs of times: the second is never before the first, or not by more than so many nanoseconds. */
const orderedTimes: readonly (readonly [first: string, second: string, slack?: bigint])[] = [
  ["createdAt", "updatedAt"],
  ["createdAt", "completedAt"],
  ["createdAt", "deliveredAt"],
  ["createdAt", "deletedAt"],
  ["createdAt", "expiresAt"],
  ["createdAt", "revokedAt"],
  // An attempt may be planned a moment before what it is of is stored.
  ["createdAt", "nextAttemptAt", minute],
];

/** Whether an instant is before another by more than rounding and more than so many nanoseconds. */
function isWellBefore(a: JsonValue | undefined, b: JsonValue | undefined, slack: bigint): boolean {
  const apart = (instantOf(b) ?? 0n) - (instantOf(a) ?? 0n);
  return isBefore(a, b) && apart > slack;
}

/** Times of a kind that callers set, as the end of a grant: what they set may be over. */
const givenTimes = new Map<DescMessage, ReadonlySet<string>>();

function givenTimesOf(row: RpcRow, kind: string, message: DescMessage): ReadonlySet<string> {
  const known = givenTimes.get(message);
  if (known !== undefined) return known;
  const setters = row.peers.filter(({ subject, effect }) => subject === kind && effect !== Effect.LIST);
  const given = new Set(setters.flatMap(({ input }) => input.fields.map(({ jsonName }) => jsonName)));
  givenTimes.set(message, given);
  return given;
}

/** Breaches of `records.times`: a record was changed, ended or expires before it was created. */
export function judgeTimes(reply: Reply): Breach[] {
  return recordsIn(reply).flatMap(({ record, message, kind, at }) =>
    orderedTimes.flatMap(([first, second, slack = 0n]): Breach[] => {
      const [one, other] = [record[first], record[second]];
      // Instants of one form compare as text: parsing each would dominate the cost of judging a long listing.
      if (
        typeof one === "string" &&
        typeof other === "string" &&
        one.length === other.length &&
        /Z$/.test(one) &&
        one <= other
      ) {
        return [];
      }
      if (!isWellBefore(other, one, slack) || givenTimesOf(reply.row, kind, message).has(second)) return [];
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
