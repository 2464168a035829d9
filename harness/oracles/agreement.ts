import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { factsOf } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { asShownBy } from "../case/expected-words.ts";
import { instantOf, isDefault, sameBag, sameJson, showJson } from "../wire/json.ts";
import { millisecond, second } from "../wire/nanoseconds.ts";
import { isObject } from "../wire/reply.ts";

/** A record as one reply showed it. */
export interface RecordView {
  /** The RPC that showed it: `GetSecret`, `CreateSecret`. */
  readonly source: string;
  readonly record: JsonObject;
  /** Only a mutation can change it from here: true of a finished job, false of a running one. */
  readonly settled: boolean;
}

/** True for fields that never change: every record fills them, they are no state, and no update sets them. */
function isFixed(field: DescField, settable: ReadonlySet<string>): boolean {
  return factsOf(field).always && field.fieldKind !== "enum" && !settable.has(field.jsonName);
}

const fractionDigits = (text: string) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;

/**
 * By how much the second of two RFC 3339 instants is later, in units of the coarser precision of the two; undefined where
 * either is no instant.
 */
function unitsBetween(a: JsonValue | undefined, b: JsonValue | undefined): bigint | undefined {
  const [from, to] = [instantOf(a), instantOf(b)];
  if (from === undefined || to === undefined || typeof a !== "string" || typeof b !== "string") return undefined;
  return (to - from) / 10n ** BigInt(9 - Math.min(fractionDigits(a), fractionDigits(b)));
}

/** Whether two values are equal, instants to the coarser precision of the two: a store may round what a reply showed. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return sameJson(a, b) || unitsBetween(a, b) === 0n;
}

/** Units, in nanoseconds, to which a store may round an instant, the coarsest first. */
const units = [second, millisecond, 1000n];

/**
 * Whether the second instant may be the first after it was stored in whole seconds, or in a finer unit, be it rounded or cut
 * off: how exact stored times are is not shown, nor is how many digits a text of them has.
 */
export function isRounded(sent: JsonValue | undefined, shown: JsonValue | undefined): boolean {
  const [exact, stored] = [instantOf(sent), instantOf(shown)];
  if (exact === undefined || stored === undefined) return false;
  const unit = units.find((one) => stored % one === 0n) ?? 1n;
  return stored - exact < unit && exact - stored < unit;
}

/**
 * Whether instant `a` is before instant `b` by more than rounding: by more than one unit of the coarser precision of the two,
 * and by more than two milliseconds, as each may have been rounded. False where either is no instant.
 */
export function isBefore(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [from, to] = [instantOf(a), instantOf(b)];
  if (from === undefined || to === undefined) return false;
  return (unitsBetween(a, b) ?? 0n) > 1n && to - from > 2n * millisecond;
}

/** Escapes of characters that need none: RFC 3986, section 2.3, has addresses with and without them identify one resource. */
const needless = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** An address as a library may store it; the letters of an escape are the same in either case. */
const addressOf = (url: string) =>
  new URL(url.normalize("NFC")).href
    .replaceAll(needless, decodeURIComponent)
    .replaceAll(/%[\da-f]{2}/gi, (octet) => octet.toUpperCase());

const isAddress = (text: string) => /^\s*https?:/iu.test(text) && URL.canParse(text);

/**
 * Whether a server may store two texts as one: equal once normalised to NFC, trimmed and lower-cased, or the same URL. Letter
 * case tells two URLs apart behind the host.
 */
export function sameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  if (isAddress(a) && isAddress(b)) return addressOf(a) === addressOf(b);
  const plain = (text: string) => text.normalize("NFC").trim().toLowerCase();
  return plain(a) === plain(b) || (URL.canParse(a) && URL.canParse(b) && addressOf(a) === addressOf(b));
}

function sameField({ message, jsonName: name }: DescField, a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [a[name], b[name]];
  if (message === undefined || message.typeName.startsWith("google.protobuf.")) return sameValue(one, other);
  const alike = (x: JsonValue, y: JsonValue) =>
    isObject(x) && isObject(y) ? sameRecord(message, x, y) : sameValue(x, y);
  if (Array.isArray(one) && Array.isArray(other)) return sameBag(one, other, alike);
  return one === undefined || other === undefined ? sameValue(one, other) : alike(one, other);
}

/** JSON names of the message's fields in which two records differ. @param names compare only these; default all */
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

/** Whether two records are equal in every field the contract knows; extra fields are open and are ignored. */
export function sameRecord(message: DescMessage, a: JsonObject, b: JsonObject): boolean {
  return differences(message, a, b).length === 0;
}

/**
 * Whether two readings of one resource may both be right: equal, or at two versions, as what moves a version is not shown,
 * and equal in what never changes.
 */
export function sameReading(message: DescMessage, a: JsonObject, b: JsonObject): boolean {
  if (sameVersion(a, b)) return sameRecord(message, a, b);
  return message.fields.every((field) => !isFixed(field, new Set()) || sameField(field, a, b));
}

function sameVersion(a: JsonObject, b: JsonObject): boolean {
  return sameJson(a.resourceVersion, b.resourceVersion);
}

/**
 * The breach of `versioning.carried`: settled records of one resource show one version. The record is at fault if two or
 * more others agree on another version, or if it shows no version and the only other record does.
 */
function judgeVersion(view: RecordView, others: readonly RecordView[], at: string): Breach[] {
  const [first, ...rest] = others.filter(({ settled }) => settled);
  if (!view.settled || first === undefined) return [];
  if (rest.length === 0 && !isDefault(view.record.resourceVersion)) return [];
  const othersAgree = rest.every(({ record }) => sameVersion(record, first.record));
  if (!othersAgree || sameVersion(view.record, first.record)) return [];
  const expected = asShownBy(
    showJson(first.record.resourceVersion),
    [first, ...rest].map(({ source }) => source),
  );
  const actual = showJson(view.record.resourceVersion);
  return [{ clause: "*.versioning.carried", at: `${at}.resourceVersion`, expected, actual }];
}

/**
 * Breaches of `records.agree`: fields in which a record differs from every other record it can be compared with, so that
 * of several replies the odd one out is at fault. Settled records at one version are compared in all fields, others in
 * the fields that never change.
 *
 * @param settable JSON names of fields that an update sets
 * @param at path of the record, for the breaches
 */
export function judgeAgreement(
  message: DescMessage,
  view: RecordView,
  others: readonly RecordView[],
  settable: ReadonlySet<string>,
  at: string,
): Breach[] {
  const fields = message.fields.flatMap((field): Breach[] => {
    const name = field.jsonName;
    const comparable = others.filter(
      (other) => isFixed(field, settable) || (view.settled && other.settled && sameVersion(view.record, other.record)),
    );
    const [first] = comparable;
    if (first === undefined || comparable.some(({ record }) => sameField(field, view.record, record))) return [];
    const expected = asShownBy(
      showJson(first.record[name]),
      comparable.map(({ source }) => source),
    );
    return [{ clause: "*.records.agree", at: `${at}.${name}`, expected, actual: showJson(view.record[name]) }];
  });
  return [...fields, ...judgeVersion(view, others, at)];
}
