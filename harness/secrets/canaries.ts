import type { JsonValue } from "@bufbuild/protobuf";
import { decodeContent } from "../wire/coding.ts";
import { compressedFlag, endStreamFlag } from "../wire/envelope.ts";
import { bodyOf, type Exchange, headerOf, type ReceivedResponse, type SentRequest } from "../wire/exchange.ts";
import { isReadable } from "../wire/readable-request.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { unpackEnvelopes } from "../wire/unpacked-envelopes.ts";
import { type Part, type Place, placesIn } from "./place.ts";
import type { SecretKind, SecretRegistry } from "./registry.ts";

/** A guarded value that was found in a reply, and where. */
export interface LocatedSecret extends Place {
  readonly label: string;
  readonly kind: SecretKind;
  /** It is the caller's own, quoted by the refusal of a body that could not be parsed (docs/contract/readings.md#4). */
  readonly quoted?: true;
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

export function plainBody({ failure }: Exchange, response: ReceivedResponse): Uint8Array {
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

/** Guarded values in a request that was received: its address, its body and its headers. */
export function findSecretsInRequest(
  { url, body, headers }: Pick<SentRequest, "url" | "body" | "headers">,
  secrets: SecretRegistry,
): readonly LocatedSecret[] {
  const parts = headers.map(([name, value]): Part => ({ name: `header ${name}`, text: value }));
  return [
    ...locate(secrets, url, "url", () => [{ name: "url", text: url }]),
    ...locate(secrets, body, "body", () => [{ name: "body", text: body }]),
    ...locate(secrets, headers.map((header) => header.join(": ")).join("\n"), "headers", () => parts),
  ];
}
