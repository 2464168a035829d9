import type { ExchangeEvidence } from "../case/result.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { decodeContent } from "../wire/coding.ts";
import { decodeEnvelopes } from "../wire/envelope.ts";
import { bodyOf, type Exchange, type Header, headerOf } from "../wire/exchange.ts";

const maxBodyLength = 8_000;
const maxFrames = 60;

/**
 * Bytes as text without guarded values. They are removed before the text is cut or shown as hex, as a part of a value, or
 * its hex inside more hex, might not be recognised.
 */
function textOf(bytes: Uint8Array, secrets: SecretRegistry): string {
  const text = new TextDecoder().decode(bytes);
  const redacted = secrets.redact(text);
  const clean = redacted === text ? bytes : new TextEncoder().encode(redacted);
  // Binary data is shown as hex, so that evidence can be read and pasted.
  const readable = !/[^\P{Cc}\t\n\r]|\ufffd/u.test(redacted);
  if (!readable && secrets.find(clean).length > 0)
    return `${bytes.byteLength} bytes with a credential in them, left out`;
  const shown = readable
    ? redacted.slice(0, maxBodyLength)
    : `hex:${Buffer.from(clean.subarray(0, maxBodyLength / 2)).toString("hex")}`;
  return bytes.byteLength > maxBodyLength ? `${shown}… (${bytes.byteLength} bytes in all)` : shown;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A curl command that sends the same bytes. A credential is written as a shell variable named after its label. */
export function curlOf(exchange: Exchange, secrets: SecretRegistry): string {
  const { request } = exchange;
  const body = new TextDecoder().decode(request.body);
  const framed = headerOf(request.headers, "content-type")?.includes("connect+") === true;
  const headers = request.headers.map(([name, value]) => {
    const credential = /^Bearer <(.+)>$/.exec(value);
    if (credential === null) return `-H ${shellQuote(secrets.redact(`${name}: ${value}`))}`;
    return `-H "${name}: Bearer $${(credential[1] ?? "").toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}"`;
  });
  const parts = ["curl -sS -i", `-X ${request.method}`, shellQuote(secrets.redact(request.url)), ...headers];
  if (framed) {
    // An envelope begins with zero bytes, which no shell argument can hold.
    const octal = [...request.body.subarray(0, 5)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const payload = secrets.redact(new TextDecoder().decode(request.body.subarray(5)));
    return `{ printf '${octal}'; printf '%s' ${shellQuote(payload)}; } | ${parts.join(" ")} --data-binary @-`;
  }
  if (request.body.byteLength > 0) parts.push(`--data-binary ${shellQuote(secrets.redact(body))}`);
  return parts.join(" ");
}

/** An exchange as results show it: readable, shortened, without credentials. */
export function evidenceOf(exchange: Exchange, secrets: SecretRegistry): ExchangeEvidence {
  const { request, response } = exchange;
  const redacted = (headers: readonly Header[]) =>
    headers.map(([name, value]): [string, string] => [name, secrets.redact(value)]);
  const shown = (bytes: Uint8Array) => textOf(bytes, secrets);
  const body = response === undefined ? new Uint8Array() : bodyOf(response);
  const isStream = response !== undefined && (headerOf(response.headers, "content-type") ?? "").includes("connect+");
  const decoded = decodeContent(
    body,
    response === undefined ? undefined : headerOf(response.headers, "content-encoding"),
  );
  return {
    number: exchange.number,
    ...(exchange.rpc === undefined ? {} : { rpc: exchange.rpc }),
    request: {
      method: request.method,
      url: secrets.redact(request.url),
      headers: redacted(request.headers),
      body: shown(request.body[0] === 0 && request.body.byteLength >= 5 ? request.body.subarray(5) : request.body),
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            headers: redacted(response.headers),
            body: isStream ? "" : shown(decoded ?? body),
            ...(isStream
              ? {
                  frames: framesOf(exchange, body)
                    .slice(0, maxFrames)
                    .map((frame) => ({ ...frame, text: shown(frame.payload) }))
                    .map(({ at, flags, text }) => ({ at, flags, text })),
                }
              : {}),
          },
        }),
    ...(exchange.failure === undefined ? {} : { failure: exchange.failure.message }),
    durationMs: Math.round(exchange.durationMs * 10) / 10,
    curl: curlOf(exchange, secrets),
  };
}

/** The envelopes of a stream, each with the time its last byte arrived. */
function framesOf(exchange: Exchange, body: Uint8Array): { at: number; flags: number; payload: Uint8Array }[] {
  const chunks = exchange.response?.chunks ?? [];
  let end = 0;
  const ends = chunks.map((chunk) => {
    end += chunk.bytes.byteLength;
    return { end, at: chunk.at };
  });
  let offset = 0;
  return decodeEnvelopes(body).envelopes.map(({ flags, payload }) => {
    offset += 5 + payload.byteLength;
    const at = ends.find((chunk) => chunk.end >= offset)?.at ?? exchange.durationMs;
    return { at: Math.round(at * 10) / 10, flags, payload };
  });
}
