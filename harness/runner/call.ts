import type { JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { Overload } from "../wire/adaptive-pace.ts";
import { encodeEnvelope, maxEnvelopes } from "../wire/envelope.ts";
import type { Chunk, Exchange, Header } from "../wire/exchange.ts";
import { type CallError, mayMean, type Reply } from "../wire/reply.ts";
import { type Credential, dottedPath, type WireRequest } from "../wire/request.ts";
import { createMessageReader } from "../wire/stream-messages.ts";
import type { Health } from "./health.ts";

const busyReasons = new Set([
  "RATE_LIMITED",
  "QUOTA_EXHAUSTED",
  "CONCURRENCY_EXHAUSTED",
  "BILLING_BLOCKED",
  "DEPENDENCY_UNAVAILABLE",
]);

/** Requests of so many bytes may be over the limit of a server, which is refused by the code of a quota (CP-U-40). */
const largeBytes = 2 ** 15;

/** True for a refusal that may be of the request's size: another as large is refused as well, whenever it comes. */
function isOversized({ exchange }: Reply, { reason, code, status }: CallError): boolean {
  // A refusal without a body has no code but that of its HTTP status.
  const isOfQuota = code === "resource_exhausted" || status === 429;
  return reason === undefined && isOfQuota && exchange.request.body.byteLength > largeBytes;
}

/** True for the end of the deadline that the request named: whatever reason is given, waiting for longer does not change it. */
const isOwnDeadline = ({ exchange }: Reply, { code }: CallError): boolean =>
  code === "deadline_exceeded" &&
  exchange.request.headers.some(([name]) => name.toLowerCase() === "connect-timeout-ms");

/** True for a refusal any call may get at any time (readings 26): it says nothing about the question. */
export function isBusy(reply: Reply): boolean {
  if (reply.outcome !== "refused") return false;
  const { reason, code } = reply.error;
  if (isOversized(reply, reply.error) || isOwnDeadline(reply, reply.error)) return false;
  return reason === undefined ? code === "resource_exhausted" || code === "unavailable" : busyReasons.has(reason);
}

/** True for a refusal that says, or may mean, that there is too much by now: of jobs under way, say. */
export function isFull(reply: Reply): boolean {
  if (!isBusy(reply) || reply.outcome !== "refused") return false;
  const { reason } = reply.error;
  return reason === undefined
    ? mayMean(reply.error, "resource_exhausted")
    : /^(CONCURRENCY|QUOTA)_EXHAUSTED$/.test(reason);
}

/**
 * What a refusal says, or may mean, of how many requests came in a time; undefined where it is about something else. Where an RPC
 * that makes something gives no reason, there may be too much of it: whoever limits the rate refuses other calls too.
 */
export function overloadOf(reply: Reply, { effect }: Pick<RpcRow, "effect">): Overload | undefined {
  if (!isBusy(reply) || reply.outcome !== "refused") return undefined;
  const { reason, code, status } = reply.error;
  if (reason !== undefined) return reason === "RATE_LIMITED" ? "too many" : undefined;
  if (effect === Effect.CREATE && isFull(reply)) return undefined;
  return code === "unavailable" && status !== 429 ? "unavailable" : "too many";
}

/** The headers of a call, with those of `replaced` in place of their namesakes; an empty value leaves a header out. */
export function headersOf(row: RpcRow, replaced: readonly Header[]): Header[] {
  const usual: Header[] = [
    ["content-type", row.stream ? "application/connect+json" : "application/json"],
    ["connect-protocol-version", "1"],
    ["accept-encoding", "identity"],
  ];
  const names = new Set(replaced.map(([name]) => name.toLowerCase()));
  return [...usual.filter(([name]) => !names.has(name)), ...replaced.filter(([, value]) => value !== "")];
}

/** A reply nobody waited for: a stream given up before it began, or in the middle of a refusal, has shown nothing. */
export function isUnawaited({ failure, response }: Exchange): boolean {
  return failure?.kind === "abandoned" && response?.status !== 200;
}

/** True for an exchange whose reply was sent for and never came whole: what it did is not known. */
export function isLost({ failure, response }: Exchange): boolean {
  return failure !== undefined && failure.kind !== "connect" && response?.ended !== true;
}

/** True for a reply of more bytes or messages than are read of one: another takes as long, and shows no more. */
export function isEndless({ exchange, messages }: Reply): boolean {
  return exchange.failure?.kind === "too-large" || messages.length >= maxEnvelopes;
}

/**
 * A watch of what goes on may be silent: whether a run's text is kept, and when its stream ends, is open, and what is between may
 * hold all back until it does (TR-17).
 */
function listening(row: RpcRow, call: CallOptions, replyMs: number): CallOptions {
  return row.effect === Effect.WATCH && call.enough !== undefined ? { listenMs: replyMs, ...call } : call;
}

/** True for a call that a stock client can make: its bytes on the wire are left to connect-es. */
export function isPlain(row: RpcRow, call: CallOptions): boolean {
  const { path, method, headers, body, pieces, timeoutMs } = call;
  return !row.stream && [path, method, headers, body, pieces, timeoutMs].every((option) => option === undefined);
}

/** What a call sends beside what it asks, in milliseconds and as a label at most. */
interface Sending {
  readonly baseUrl: string;
  readonly authorization: Credential | string | undefined;
  readonly signal: AbortSignal;
  readonly replyMs: number;
  readonly health: Pick<Health, "listenMs">;
}

/** HTTP methods of requests that have no body. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A call as a request of the wire, to the byte: an envelope for a stream, the document for any other RPC. */
export function requestOf(row: RpcRow, request: JsonObject, call: CallOptions, sending: Sending): WireRequest {
  const { baseUrl, authorization, signal, replyMs, health } = sending;
  const { body = JSON.stringify(request), enough } = call;
  const { timeoutMs, listenMs } = listening(row, call, replyMs);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const url = baseUrl + (call.path ?? row.path);
  const path = call.path === undefined ? undefined : dottedPath(url);
  return {
    url,
    ...(path !== undefined && { path }),
    method: call.method ?? "POST",
    headers: headersOf(row, call.headers ?? []),
    ...(!bodiless.has(call.method ?? "POST") && {
      body: row.stream && typeof body === "string" ? encodeEnvelope(0, bytes) : bytes,
    }),
    authorization,
    rpc: row.name,
    lasting: row.stream,
    pieces: call.pieces,
    pace: call.pace,
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(listenMs !== undefined && { listenMs: health.listenMs(listenMs) }),
    ...(row.stream &&
      enough !== undefined && {
        onChunk: goesOn(enough),
      }),
  };
}

/** Whether a stream is to go on, asked with each piece of it: once when it begins, then whenever a message has come. */
function goesOn(enough: NonNullable<CallOptions["enough"]>): (chunk: Chunk) => boolean {
  const reader = createMessageReader();
  let isFirst = true;
  return (chunk) => {
    const isNew = reader.add(chunk) || isFirst;
    isFirst = false;
    return !isNew || !enough(reader.messages);
  };
}
