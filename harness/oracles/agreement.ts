import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { factsOf } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { instantOf, isDefault, sameBag, sameJson, showJson } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";

/** A record of a resource as one reply showed it. */
export interface Sighting {
  /** What showed it: `GetSecret`, `CreateSecret`. */
  readonly source: string;
  readonly record: JsonObject;
  /** Nothing but a mutation changes what it shows. */
  readonly settled: boolean;
}

/** Fields nothing ever changes: what every record fills, but for states and for what an update may set. */
function isFixed(field: DescField, settable: ReadonlySet<string>): boolean {
  return factsOf(field).always && field.fieldKind !== "enum" && !settable.has(field.jsonName);
}

const fractionDigits = (text: string) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;

/** By how much the second of two instants is later, in the smallest unit both are told in; undefined where one is none. */
function unitsBetween(a: JsonValue | undefined, b: JsonValue | undefined): bigint | undefined {
  const [first, second] = [instantOf(a), instantOf(b)];
  if (first === undefined || second === undefined || typeof a !== "string" || typeof b !== "string") return undefined;
  return (second - first) / 10n ** BigInt(9 - Math.min(fractionDigits(a), fractionDigits(b)));
}

/** Equal as far as both are told: a store may keep instants less finely than the reply that made them. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return sameJson(a, b) || unitsBetween(a, b) === 0n;
}

/** Whether one instant is before another, as far as both are told. */
export function isBefore(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return (unitsBetween(a, b) ?? 0n) > 0n;
}

function sameField({ message, jsonName: name }: DescField, a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [a[name], b[name]];
  if (message === undefined || message.typeName.startsWith("google.protobuf.")) return sameValue(one, other);
  const alike = (x: JsonValue, y: JsonValue) =>
    isObject(x) && isObject(y) ? sameRecord(message, x, y) : sameValue(x, y);
  if (Array.isArray(one) && Array.isArray(other)) return sameBag(one, other, alike);
  return one === undefined || other === undefined ? sameValue(one, other) : alike(one, other);
}

/** The fields of the contract in which two records differ, of those named or of all. */
export function differences(
  message: DescMessage,
  a: JsonObject,
  b: JsonObject,
  names?: ReadonlySet<string>,
): readonly string[] {
  return message.fields
    .filter((field) => names?.has(field.jsonName) !== false && !sameField(field, a, b))
    .map(({ jsonName }) => jsonName);
}

/** Whether two records show the same, as far as both tell and the contract knows: what else they show is open. */
export function sameRecord(message: DescMessage, a: JsonObject, b: JsonObject): boolean {
  return differences(message, a, b).length === 0;
}

function sameVersion(a: JsonObject, b: JsonObject): boolean {
  return sameJson(a.resourceVersion, b.resourceVersion);
}

/**
 * A breach of the version: settled records of one resource are at one version, whatever shows them. Blamed is a record
 * whose version is not the one on which two others or more agree, or which has none where the only other has one.
 */
function oddVersion(seen: Sighting, others: readonly Sighting[], at: string): Breach[] {
  const [first, ...rest] = others.filter(({ settled }) => settled);
  if (!seen.settled || first === undefined) return [];
  if (rest.length === 0 && !isDefault(seen.record.resourceVersion)) return [];
  const agreed = rest.every(({ record }) => sameVersion(record, first.record));
  if (!agreed || sameVersion(seen.record, first.record)) return [];
  const expected = `${showJson(first.record.resourceVersion)}, as ${[first, ...rest].map(({ source }) => source).join(" and ")} showed`;
  const actual = showJson(seen.record.resourceVersion);
  return [{ clause: "*.versioning.carried", at: `${at}.resourceVersion`, expected, actual }];
}

/**
 * Breaches of agreement: a field in which one sighting contradicts every other that can speak of it. Of settled records
 * at one version all fields are compared, else the fixed ones; so of several replies the odd one out is blamed.
 *
 * @param settable fields an update may set, which are not fixed
 */
export function judgeAgreement(
  message: DescMessage,
  seen: Sighting,
  others: readonly Sighting[],
  settable: ReadonlySet<string>,
  at: string,
): Breach[] {
  const fields = message.fields.flatMap((field): Breach[] => {
    const name = field.jsonName;
    const witnesses = others.filter(
      (other) => isFixed(field, settable) || (seen.settled && other.settled && sameVersion(seen.record, other.record)),
    );
    const [first] = witnesses;
    if (first === undefined || witnesses.some(({ record }) => sameField(field, seen.record, record))) return [];
    const expected = `${showJson(first.record[name])}, as ${witnesses.map(({ source }) => source).join(" and ")} showed`;
    return [{ clause: "*.records.agree", at: `${at}.${name}`, expected, actual: showJson(seen.record[name]) }];
  });
  return [...fields, ...oddVersion(seen, others, at)];
}
