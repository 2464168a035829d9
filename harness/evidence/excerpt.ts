import type { ExchangeEvidence } from "../case/result.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { decodeContent } from "../wire/coding.ts";
import { bodyOf, type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { dottedPath } from "../wire/request.ts";
import { unpackEnvelopes } from "../wire/unpacked-envelopes.ts";
import { leftOut } from "./left-out.ts";

const maxBodyLength = 8_000;
const maxFrames = 60;

/** Bytes whose end, if they were cut, is no part of a letter of UTF-8. */
function cutAt(bytes: Uint8Array, length: number): Uint8Array {
  let end = length;
  while (end > length - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.byteLength <= length ? bytes : bytes.subarray(0, end);
}

/**
 * Bytes as text without guarded values. They are cut first, as what is left out need not be looked through: of a value at the
 * cut what is left is taken out like any part of one, or is too short to tell anything.
 */
function textOf(bytes: Uint8Array, secrets: SecretRegistry, length = bytes.byteLength): string {
  const cut = cutAt(bytes, maxBodyLength);
  const redacted = secrets.redact(new TextDecoder().decode(cut));
  // Binary data is shown as hex, so that evidence can be read and pasted.
  const readable = !/[^\P{Cc}\t\n\r]|\ufffd/u.test(redacted);
  if (!readable && secrets.leak(cut) !== undefined) return `${length} bytes with a credential in them, left out`;
  const shown = readable ? redacted : `hex:${Buffer.from(cut.subarray(0, maxBodyLength / 2)).toString("hex")}`;
  return length > maxBodyLength ? `${shown}… (${length} bytes in all)` : shown;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The environment variable of a credential, as the docs and `hallmark init` call it: `ALPHA_KEY`, `ALPHA_SECOND_KEY`. */
function variableOf(label: string): string {
  const name = label.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return name.replace(/_(API|BACKEND)_KEY$/, "_KEY");
}

/** A curl command that sends the same bytes. A credential is written as a shell variable named after its label. */
export function curlOf(exchange: Exchange, secrets: SecretRegistry): string {
  const { request } = exchange;
  const body = new TextDecoder().decode(request.body);
  const framed = headerOf(request.headers, "content-type")?.includes("connect+") === true;
  const headers = request.headers.map(([name, value]) => {
    const credential = /^Bearer <(.+)>$/.exec(value);
    if (credential === null) return `-H ${shellQuote(secrets.redact(`${name}: ${value}`))}`;
    return `-H "${name}: Bearer $${variableOf(credential[1] ?? "")}"`;
  });
  const asIs = dottedPath(request.url) === undefined ? [] : ["--path-as-is"];
  const parts = ["curl -sS -i", ...asIs, `-X ${request.method}`, shellQuote(secrets.redact(request.url)), ...headers];
  if (framed) {
    // An envelope begins with zero bytes, which no shell argument can hold.
    const octal = [...request.body.subarray(0, 5)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const payload = secrets.redact(new TextDecoder().decode(request.body.subarray(5)));
    return `{ printf '${octal}'; printf '%s' ${shellQuote(payload)}; } | ${parts.join(" ")} --data-binary @-`;
  }
  if (request.body.byteLength > 0) parts.push(`--data-binary ${shellQuote(secrets.redact(body))}`);
  return parts.join(" ");
}

/** What results show of a response. */
function shownResponse(exchange: Exchange, response: ReceivedResponse, secrets: SecretRegistry) {
  const { status, headers } = response;
  const body = bodyOf(response);
  if (exchange.foreign === true) {
    const { leftOut: bytes, sha256 } = leftOut(body);
    return { status, headers: [], body: `${bytes} bytes that another origin answered, left out (sha256 ${sha256})` };
  }
  const shown = (bytes: Uint8Array) => textOf(bytes, secrets);
  const common = { status, headers: redactedHeaders(headers, secrets) };
  if (!(headerOf(headers, "content-type") ?? "").includes("connect+")) {
    const decoded = decodeContent(body, headerOf(headers, "content-encoding")) ?? body;
    return { ...common, body: textOf(decoded, secrets, exchange.cutFrom) };
  }
  const frames = framesOf(exchange, body, headerOf(headers, "connect-content-encoding"));
  return { ...common, body: "", frames: frames.map(({ at, flags, bytes }) => ({ at, flags, text: shown(bytes) })) };
}

function redactedHeaders(headers: readonly Header[], secrets: SecretRegistry): [string, string][] {
  return headers.map(([name, value]) => [secrets.redact(name), secrets.redact(value)]);
}

/** An exchange as results show it: readable, shortened, without credentials, and without what another origin answered. */
export function evidenceOf(exchange: Exchange, secrets: SecretRegistry): ExchangeEvidence {
  const { request, response, failure, foreign } = exchange;
  const sent = request.body[0] === 0 && request.body.byteLength >= 5 ? request.body.subarray(5) : request.body;
  return {
    number: exchange.number,
    ...(exchange.rpc === undefined ? {} : { rpc: exchange.rpc }),
    request: {
      method: request.method,
      url: secrets.redact(request.url),
      headers: redactedHeaders(request.headers, secrets),
      body: textOf(sent, secrets),
    },
    ...(response === undefined ? {} : { response: shownResponse(exchange, response, secrets) }),
    ...(failure === undefined
      ? {}
      : { failure: foreign === true ? `no whole answer (${failure.kind})` : failure.message }),
    startedAt: Math.round(exchange.startedAt),
    durationMs: Math.round(exchange.durationMs * 10) / 10,
    curl: curlOf(exchange, secrets),
  };
}

/** The first envelopes of a stream, unpacked where they can be, each with the time its last byte arrived. */
function framesOf(exchange: Exchange, body: Uint8Array, coding: string | undefined) {
  const chunks = exchange.response?.chunks ?? [];
  let end = 0;
  const ends = chunks.map((chunk) => {
    end += chunk.bytes.byteLength;
    return { end, at: chunk.at };
  });
  let offset = 0;
  const { envelopes } = unpackEnvelopes(body, coding);
  return envelopes.slice(0, maxFrames).map(({ flags, payload, bytes = payload }) => {
    offset += 5 + payload.byteLength;
    const at = ends.find((chunk) => chunk.end >= offset)?.at ?? exchange.durationMs;
    return { at: Math.round(at * 10) / 10, flags, bytes };
  });
}
