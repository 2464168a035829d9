import { isUtf8 } from "node:buffer";
import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../proto/rpcs.ts";
import type { SeenExchange } from "../case/observer.ts";
import { bodyOf, type Exchange, type Header } from "../wire/exchange.ts";
import { type Reply, readStream, readUnary } from "../wire/reply.ts";
import type { EvidenceBytes, EvidenceHeaders, ExchangeEvent } from "./events.ts";

/** Bytes as they stand in evidence. */
export function encodeBytes(bytes: Uint8Array): EvidenceBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? buffer.toString("utf8") : { base64: buffer.toString("base64") };
}

/** Bytes as they stood in evidence. */
export function decodeBytes(bytes: EvidenceBytes): Uint8Array {
  if (typeof bytes === "string") return Buffer.from(bytes, "utf8");
  return "base64" in bytes ? Buffer.from(bytes.base64, "base64") : new Uint8Array();
}

const round = (milliseconds: number) => Math.round(milliseconds * 100) / 100;

/** Replaces secrets in the bytes and texts of an exchange, or nothing. */
export interface Replacer {
  bytes(bytes: Uint8Array): Uint8Array;
  text(text: string): string;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON without credentials: replaced in its text or, where that leaves no JSON, in each of its strings. */
function redactedJson(json: string, text: Replacer["text"]): unknown {
  const replaced = text(json);
  if (isJson(replaced)) return JSON.parse(replaced);
  return JSON.parse(json, (_name, value: unknown) => (typeof value === "string" ? text(value) : value));
}

/** An exchange as an event. */
export function encodeExchange(
  { by, exchange, call, givenBy, received }: SeenExchange,
  order: number,
  { bytes, text }: Replacer,
): ExchangeEvent {
  const { request, response, failure } = exchange;
  const headers = (of: readonly Header[]): EvidenceHeaders => of.map(([name, value]) => [text(name), text(value)]);
  const asked = call === undefined ? "" : JSON.stringify(call.request);
  const body = bytes(request.body);
  // What is left out may leave an escape behind that is none, so that the body is no JSON any more.
  const isBody = Buffer.from(request.body).toString("utf8") === asked && isJson(Buffer.from(body).toString("utf8"));
  return {
    type: "exchange",
    order,
    by,
    ...(call === undefined
      ? {}
      : {
          call: {
            rpc: call.row.name,
            ...(isBody ? {} : { asked: redactedJson(asked, text) }),
            exempt: call.exempt,
            judged: call.judged,
          },
        }),
    ...(givenBy === undefined ? {} : { givenBy: givenBy.name }),
    ...(received === undefined ? {} : { received }),
    request: {
      method: request.method,
      url: text(request.url),
      headers: headers(request.headers),
      body: encodeBytes(body),
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            headers: headers(response.headers),
            trailers: headers(response.trailers),
            chunks: encodeChunks(response.chunks, bytes(bodyOf(response))),
            ended: response.ended,
          },
        }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: text(failure.message) } }),
    startedAt: exchange.startedAt,
    durationMs: round(exchange.durationMs),
  };
}

/** Cuts a body where its chunks were cut. */
function encodeChunks(chunks: readonly { readonly at: number; readonly bytes: Uint8Array }[], body: Uint8Array) {
  let from = 0;
  return chunks.map(({ at, bytes }, index) => {
    const to = index === chunks.length - 1 ? body.byteLength : from + bytes.byteLength;
    const piece = body.subarray(from, to);
    from = to;
    return { at: round(at), bytes: encodeBytes(piece) };
  });
}

/** An event as the exchange it was, numbered as it came. */
export function decodeExchange(event: ExchangeEvent): Exchange {
  const { request, response } = event;
  return {
    number: event.order,
    rpc: event.call?.rpc,
    request: { ...request, body: decodeBytes(request.body) },
    response:
      response === undefined
        ? undefined
        : { ...response, chunks: response.chunks.map(({ at, bytes }) => ({ at, bytes: decodeBytes(bytes) })) },
    failure: event.failure,
    startedAt: event.startedAt,
    durationMs: event.durationMs,
  };
}

/** The reply an event was read as; undefined for what was no call, or is not there in full. */
export function replyOf(event: ExchangeEvent): Reply | undefined {
  if (event.call === undefined || event.withheld !== undefined) return undefined;
  const row = rpc(event.call.rpc);
  const { body } = event.request;
  const asked = event.call.asked ?? (typeof body === "string" ? JSON.parse(body) : {});
  const exchange = decodeExchange(event);
  return (row.stream ? readStream : readUnary)(row, asked as JsonObject, exchange);
}
