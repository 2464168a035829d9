import type { JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import { decodeContent } from "../wire/coding.ts";
import { compressedFlag, endStreamFlag } from "../wire/envelope.ts";
import { bodyOf, type Exchange, headerOf, type ReceivedResponse, type SentRequest } from "../wire/exchange.ts";
import { textAt } from "../wire/json.ts";
import { isReadable } from "../wire/readable-request.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { unpackEnvelopes } from "../wire/unpacked-envelopes.ts";
import { isDistinctive } from "./encodings.ts";
import { type Part, type Place, placesIn } from "./place.ts";
import type { SecretKind, SecretRegistry } from "./registry.ts";

/** A guarded value that was found in a reply, and where. */
export interface LocatedSecret extends Place {
  readonly label: string;
  readonly kind: SecretKind;
  /** It is the caller's own, quoted by the refusal of a body that could not be parsed (docs/contract/readings.md#4). */
  readonly quoted?: true;
}

/** Guards the write-only values of a request: nothing received from now on may contain them. */
export function guardSent(secrets: SecretRegistry, row: RpcRow, request: Reply["request"]): void {
  for (const { name, field } of row.writeOnly) {
    const text = textAt(request, name);
    const value = field.scalar === ScalarType.BYTES ? Buffer.from(text, "base64") : text;
    if (isDistinctive(value)) secrets.register(value, "a secret's value", "secret value");
  }
}

/** Guards the credentials a reply issued. To be called after that reply was judged, as it may contain them. */
export function guardReceived(secrets: SecretRegistry, reply: Reply): void {
  if (reply.outcome !== "served") return;
  const signing = reply.row.record !== undefined;
  for (const { name } of reply.row.plaintext) {
    const value = textAt(reply.json, name);
    if (!isDistinctive(value)) continue;
    if (signing) secrets.register(value, "a signing secret", "signing secret");
    else secrets.register(value, "an issued credential", "issued credential");
  }
}

/** An id is no key, and is read everywhere. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The parts of an address that nobody guesses: whoever has them has what it leads to. */
function keysIn(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const parts = [...url.pathname.split("/").map(decoded), ...url.searchParams.values(), url.password];
  return parts.filter((part) => isDistinctive(part) && !uuid.test(part));
}

/** A text of JSON as far as it goes: it may have been cut short. */
function readText(quoted: string): string {
  try {
    return JSON.parse(`${quoted}"`) as string;
  } catch {
    return quoted.slice(1);
  }
}

/** Whether an RPC gives out a credential, or an address that opens what it leads to. */
export function issues({ plaintext, capabilityUrls }: RpcRow): boolean {
  return plaintext.length + capabilityUrls.length > 0;
}

/**
 * Keeps out of what is written whatever a reply issued: credentials, and addresses that open what they lead to. It is read
 * off the bytes, as a reply that is refused, cut short or no JSON issues as well.
 */
export function concealReceived(secrets: SecretRegistry, row: RpcRow, exchange: Exchange): void {
  const { response } = exchange;
  if (response === undefined || !issues(row)) return;
  concealBytes(secrets, row, plainBody(exchange, response));
}

/** The same for the bytes of a reply, be it with the head before its body. */
export function concealBytes(secrets: SecretRegistry, row: RpcRow, bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString("utf8");
  const textsOf = ({ name, field }: RpcRow["plaintext"][number]) =>
    [...text.matchAll(new RegExp(`"(?:${name}|${field.name})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*)`, "g"))].map(
      ([, quoted = ""]) => readText(quoted),
    );
  for (const issued of row.plaintext.flatMap(textsOf)) {
    if (isDistinctive(issued))
      secrets.conceal(issued, row.record === undefined ? "an issued credential" : "a signing secret");
  }
  for (const key of row.capabilityUrls.flatMap(textsOf).flatMap(keysIn)) secrets.conceal(key, "key of an address");
}

/** The body of a reply without the credentials that its RPC issues. */
function withoutPlaintext(reply: Reply, body: Uint8Array): Uint8Array | string {
  if (reply.outcome !== "served" || reply.row.plaintext.length === 0) return body;
  const text = Buffer.from(body).toString("utf8");
  const issued = reply.row.plaintext.flatMap(({ name }) => {
    const value = reply.json[name];
    return typeof value === "string" && value !== "" ? [{ name, escaped: JSON.stringify(value).slice(1, -1) }] : [];
  });
  if (issued.every(({ escaped }) => text.includes(escaped))) {
    return issued.reduce((rest, { escaped }) => rest.replace(escaped, ""), text);
  }
  // A server may escape any character in JSON: then the fields are emptied in the parsed message.
  const blank = Object.fromEntries(issued.map(({ name }) => [name, ""]));
  return JSON.stringify({ ...reply.json, ...blank });
}

/** Counters are left out: 30, 31, 32 … joined are the hex of the text "012…", which may be someone's secret. */
const isNumber = (text: string) => /^-?\d+$/.test(text);

function addTexts(value: JsonValue, path: string, texts: Map<string, string[]>): void {
  if (typeof value === "string") {
    if (isNumber(value)) return;
    const known = texts.get(path);
    if (known === undefined) texts.set(path, [value]);
    else known.push(value);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) addTexts(inner, `${path}.${name}`, texts);
  }
}

/** The text of each field of a stream, joined over its messages: a value may arrive in pieces. */
function joinedTexts({ row, messages }: Reply): string {
  if (!row.stream || messages.length < 2) return "";
  const texts = new Map<string, string[]>();
  for (const { json } of messages) addTexts(json, "", texts);
  return [...texts.values()].map((parts) => parts.join("")).join("\n");
}

/**
 * Guarded values in a text, each with its place in the parts that the text is made of.
 * @param whole what the text is called, where a value stands in no part alone
 */
function locate(
  secrets: SecretRegistry,
  text: Uint8Array | string,
  whole: string,
  parts: () => readonly Part[],
  except?: ReadonlySet<number>,
): readonly LocatedSecret[] {
  const hits = secrets.find(text, except);
  if (hits.length === 0) return [];
  const places = placesIn(secrets, hits, parts(), except);
  return hits.map(({ label, kind, form }) => {
    const place = places.get(label) ?? { at: whole, where: `${whole} (${form})` };
    // No copy of the place, which would make its text.
    return {
      label,
      kind,
      at: place.at,
      get where() {
        return place.where;
      },
    };
  });
}

/** Guarded values in a refusal, where it quotes its own request's body those told apart that the body holds. */
function locateInRefusal(
  secrets: SecretRegistry,
  reply: Reply,
  text: Uint8Array | string,
  parts: () => readonly Part[],
): readonly LocatedSecret[] {
  const hits = locate(secrets, text, "body", parts);
  if (hits.length === 0 || isReadable(reply)) return hits;
  const { body, headers } = reply.exchange.request;
  const plain = reply.row.stream ? body : (decodeContent(body, headerOf(headers, "content-encoding")) ?? body);
  const others = locate(secrets, text, "body", parts, secrets.numbersIn(plain));
  return others.length > 0 ? others : hits.map((hit) => ({ ...hit, quoted: true }));
}

function headerParts({ headers, trailers }: ReceivedResponse): readonly Part[] {
  const partsOf = (kind: string, all: ReceivedResponse["headers"]) =>
    all.map(([name, value]): Part => ({ name: `${kind} ${name}`, text: value }));
  return [...partsOf("header", headers), ...partsOf("trailer", trailers)];
}

function locateInHeaders(secrets: SecretRegistry, response: ReceivedResponse): readonly LocatedSecret[] {
  const parts = headerParts(response);
  const text = parts.map((part) => `${part.name}: ${part.text}`).join("\n");
  return locate(secrets, text, "headers", () => parts);
}

/** The envelopes of a stream, unpacked: its messages by number, from 1, and its end. */
function envelopeParts({ exchange: { response } }: Reply, body: Uint8Array): readonly Part[] {
  const coding = headerOf(response?.headers ?? [], "connect-content-encoding");
  return unpackEnvelopes(body, coding).envelopes.map(({ flags, payload, bytes }, index): Part => {
    const name = (flags & endStreamFlag) === 0 ? `message ${index + 1}` : "end-stream message";
    return { name, text: bytes ?? payload };
  });
}

/** Whether envelopes come to something else than they are: what is no envelope of a coding, or a bomb, was looked through as it is. */
const isUnpacked = ({ exchange: { response } }: Reply, body: Uint8Array) =>
  unpackEnvelopes(body, headerOf(response?.headers ?? [], "connect-content-encoding")).envelopes.some(
    ({ flags, bytes }) => (flags & compressedFlag) !== 0 && bytes !== undefined,
  );

/** Of a body that outran its bound only so many bytes are looked through: it is no reply, and costs enough already. */
const maxSearched = 64 * 1024;

function plainBody({ failure }: Exchange, response: ReceivedResponse): Uint8Array {
  const body = bodyOf(response);
  if (failure?.kind === "too-large") return body.subarray(0, maxSearched);
  return decodeContent(body, headerOf(response.headers, "content-encoding")) ?? body;
}

/** Guarded values in a reply: body, headers and trailers. The fields in which its RPC issues a credential are left out. */
export function findSecrets(reply: Reply, secrets: SecretRegistry): readonly LocatedSecret[] {
  const { response } = reply.exchange;
  if (response === undefined) return [];
  const received = plainBody(reply.exchange, response);
  const body = withoutPlaintext(reply, received);
  const parts = () => (reply.row.stream ? envelopeParts(reply, received) : [{ name: "body", text: body }]);
  const inBody =
    reply.outcome === "refused" ? locateInRefusal(secrets, reply, body, parts) : locate(secrets, body, "body", parts);
  const whole = inBody.length > 0 || !reply.row.stream ? inBody : locateUnpacked(reply, received, secrets);
  const joined = whole.length > 0 ? [] : locate(secrets, joinedTexts(reply), "messages put together", () => []);
  return [...whole, ...joined, ...locateInHeaders(secrets, response)];
}

/** Of what the envelopes of a stream come to once they are unpacked, so many bytes are looked through: beyond that it is a bomb. */
const maxUnpackedSearched = 2 * 2 ** 20;

/** Guarded values in the envelopes of a stream that are compressed each on its own. */
function locateUnpacked(reply: Reply, body: Uint8Array, secrets: SecretRegistry): readonly LocatedSecret[] {
  if (!isUnpacked(reply, body)) return [];
  const parts = envelopeParts(reply, body);
  const texts: Buffer[] = [];
  let left = maxUnpackedSearched;
  for (const { text } of parts) {
    const bytes = Buffer.from(text).subarray(0, left);
    texts.push(bytes);
    left -= bytes.byteLength;
    if (left === 0) break;
  }
  return locate(secrets, Buffer.concat(texts), "messages", () => parts);
}

/**
 * Guarded values in the response of an upload or download address that an RPC issued: body, headers and trailers.
 *
 * @param isOwnContent the body is content the run uploaded, so that a guarded value in it is no leak
 */
export function findSecretsIn(
  exchange: Exchange,
  secrets: SecretRegistry,
  isOwnContent: boolean,
): readonly LocatedSecret[] {
  const { response } = exchange;
  if (response === undefined) return [];
  const text = plainBody(exchange, response);
  const body = isOwnContent ? [] : locate(secrets, text, "body", () => [{ name: "body", text }]);
  return [...body, ...locateInHeaders(secrets, response)];
}

/** Guarded values in a request that was received: its body and its headers. */
export function findSecretsInRequest(
  { body, headers }: Pick<SentRequest, "body" | "headers">,
  secrets: SecretRegistry,
): readonly LocatedSecret[] {
  const parts = headers.map(([name, value]): Part => ({ name: `header ${name}`, text: value }));
  return [
    ...locate(secrets, body, "body", () => [{ name: "body", text: body }]),
    ...locate(secrets, headers.map((header) => header.join(": ")).join("\n"), "headers", () => parts),
  ];
}
