import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { codeOfStatus, statusOfCode } from "../../proto/clauses/codes.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { decodeContent } from "./coding.ts";
import { endStreamFlag } from "./envelope.ts";
import { bodyOf, type Exchange, headerOf } from "./exchange.ts";
import { withPlainIds } from "./plain-ids.ts";
import { ellipted } from "./short-text.ts";
import { readJson } from "./strict-json.ts";
import { unpackEnvelopes } from "./unpacked-envelopes.ts";

/** A refusal or failure as a client understands it (CP-C-02: the code is inferred where the body has no usable Error). */
export interface CallError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The ErrorDetail, where one could be read. */
  readonly detail: JsonObject | undefined;
  /** There is an ErrorDetail that could not be read. */
  readonly unread: boolean;
  /** The detail's reason without its prefix: `RESOURCE_VERSION_CONFLICT`. UNSPECIFIED is none. */
  readonly reason: string | undefined;
}

/** A data message of a stream, with its arrival in milliseconds since the request was sent. */
export interface StreamMessage {
  readonly json: JsonObject;
  readonly at: number;
}

interface Common {
  readonly exchange: Exchange;
  readonly row: RpcRow;
  /** The request as JSON, where it was one. */
  readonly request: JsonObject;
  /** Data messages: the one reply of a unary call, all that arrived of a stream. */
  readonly messages: readonly StreamMessage[];
}

/**
 * A tolerant reading of an exchange: what a client would take it for. How well-formed it is, the oracles say.
 * `served`: success, or a stream that sent data or ended without error. `refused`: an error, or a bare status.
 * `broken`: no usable reply.
 */
export type Reply =
  | (Common & { readonly outcome: "served"; readonly json: JsonObject; readonly error?: CallError })
  | (Common & { readonly outcome: "refused"; readonly error: CallError })
  | (Common & { readonly outcome: "broken"; readonly why: string });

/** True for a JSON object (no array, no null). */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The ErrorDetails among the details of an Error. `debug` alone says what is in one: its fields' and reasons' numbers are not
 * in the contract, so that bytes without it say nothing for certain (docs/contract/readings.md#28).
 */
function readDetails(details: JsonValue | undefined): {
  readonly detail: JsonObject | undefined;
  readonly unread: boolean;
} {
  const own = (Array.isArray(details) ? details : []).filter(
    (detail) => isObject(detail) && typeof detail.type === "string" && /(^|\.)ErrorDetail$/.test(detail.type),
  );
  const detail = own.map((one) => (isObject(one) ? one.debug : undefined)).find(isObject);
  return { detail, unread: detail === undefined && own.length > 0 };
}

/** Characters of a message that are kept: more is nothing to read. */
const maxMessage = 16_384;
/** Characters of a served reply that are shown in a line. */
const maxShown = 300;

/** Reads an Error object as a client would. */
export function readError(error: JsonValue | undefined, status: number): CallError {
  const object = isObject(error) ? error : {};
  const { detail, unread } = readDetails(object.details);
  const named = typeof detail?.reason === "string" ? detail.reason.replace(/^ERROR_REASON_/, "") : "";
  // Absent and default read alike (docs/contract/readings.md#13).
  const reason = named === "" || named === "UNSPECIFIED" ? undefined : named;
  return {
    status,
    code: typeof object.code === "string" ? object.code : (codeOfStatus[status] ?? "unknown"),
    message: typeof object.message === "string" ? ellipted(object.message, maxMessage) : "",
    detail,
    unread,
    reason,
  };
}

/** Reads the exchange of a unary call. */
export function readUnary(row: RpcRow, request: JsonObject, exchange: Exchange): Reply {
  const common = { exchange, row, request, messages: [] };
  const { response } = exchange;
  if (response === undefined || !response.ended) {
    return { ...common, outcome: "broken", why: exchange.failure?.message ?? "the response was cut short" };
  }
  const body = decodeContent(bodyOf(response), headerOf(response.headers, "content-encoding"));
  const reading = body === undefined ? undefined : readJson(body);
  const json = reading?.ok === true ? reading.value : undefined;
  if (response.status >= 200 && response.status < 300) {
    if (isObject(json)) {
      withPlainIds(json);
      return { ...common, outcome: "served", json, messages: [{ json, at: exchange.durationMs }] };
    }
    const why = reading?.ok === false ? reading.why : "it is no JSON object";
    return { ...common, outcome: "broken", why: `HTTP ${response.status} with an unreadable body: ${why}` };
  }
  return { ...common, outcome: "refused", error: readError(json, response.status) };
}

/** Reads the exchange of a server stream: all messages that arrived, and how it ended. */
export function readStream(row: RpcRow, request: JsonObject, exchange: Exchange): Reply {
  const { response } = exchange;
  const common = { exchange, row, request, messages: [] };
  if (response === undefined) {
    return { ...common, outcome: "broken", why: exchange.failure?.message ?? "no response came" };
  }
  if (response.status !== 200) {
    if (!response.ended) return { ...common, outcome: "broken", why: exchange.failure?.message ?? "cut short" };
    const reading = readJson(bodyOf(response));
    return {
      ...common,
      outcome: "refused",
      error: readError(reading.ok ? reading.value : undefined, response.status),
    };
  }
  const coding = headerOf(response.headers, "connect-content-encoding");
  const messages: StreamMessage[] = [];
  let end: JsonObject | undefined;
  const arrivals = arrivalOf(exchange);
  let offset = 0;
  for (const { flags, payload, bytes } of unpackEnvelopes(bodyOf(response), coding).envelopes) {
    offset += 5 + payload.byteLength;
    const reading = bytes === undefined ? undefined : readJson(bytes);
    if (reading?.ok !== true || !isObject(reading.value)) continue;
    if ((flags & endStreamFlag) === 0) messages.push({ json: withPlainIds(reading.value), at: arrivals(offset) });
    else end ??= reading.value;
  }
  const error = end !== undefined && Object.hasOwn(end, "error") ? readError(end.error, 200) : undefined;
  const seen = { ...common, messages };
  const [first] = messages;
  if (error !== undefined && first === undefined) return { ...seen, outcome: "refused", error };
  if (first === undefined && end === undefined) {
    if (exchange.failure?.kind === "abandoned") return { ...seen, outcome: "served", json: {} };
    return { ...seen, outcome: "broken", why: exchange.failure?.message ?? "the stream ended without an end-stream" };
  }
  return { ...seen, outcome: "served", json: first?.json ?? {}, ...(error === undefined ? {} : { error }) };
}

/** When the byte before `offset` of the body had arrived. */
function arrivalOf(exchange: Exchange): (offset: number) => number {
  const chunks = exchange.response?.chunks ?? [];
  let index = 0;
  let passed = 0;
  return (offset) => {
    while (index < chunks.length) {
      const chunk = chunks[index];
      if (chunk === undefined || passed + chunk.bytes.byteLength >= offset) break;
      passed += chunk.bytes.byteLength;
      index += 1;
    }
    return chunks[index]?.at ?? exchange.durationMs;
  };
}

/** Whether a refusal says no more than its HTTP status, from which the client infers a code that no server sends with it. */
export function isBareStatus({ status, code }: Pick<CallError, "status" | "code">): boolean {
  return code === (codeOfStatus[status] ?? "unknown") && statusOfCode[code] !== status;
}

/** Whether a refusal has a code or, where it says no more than its HTTP status, may mean that code: 400 is sent for three. */
export function mayMean(error: Pick<CallError, "status" | "code">, code: string): boolean {
  return error.code === code || (isBareStatus(error) && statusOfCode[code] === error.status);
}

/** Whether a call was refused for a reason: a refusal that gives none says it by its Connect code alone, one of some. */
export function isRefusedFor(reply: Reply, reason: string, ...codes: readonly string[]): boolean {
  if (reply.outcome !== "refused") return false;
  const { error } = reply;
  return error.reason === undefined ? codes.some((code) => mayMean(error, code)) : error.reason === reason;
}

/** Whether a call was refused for the state of what it is about: which states permit an operation is not shown. */
export function isRefusedForState(reply: Reply): boolean {
  return isRefusedFor(reply, "FAILED_PRECONDITION", "failed_precondition");
}

/**
 * Whether a call may have been refused for the state of what it is about: the code of each reason is not shown, so that a refusal
 * without a reason may be for any. For who then sees whether the call is served in another state.
 */
export function mayBeRefusedForState(reply: Reply): boolean {
  if (reply.outcome !== "refused") return false;
  return reply.error.reason === undefined || reply.error.reason === "FAILED_PRECONDITION";
}

/** Whether a call may have been refused for what its request says: a refusal that gives no reason may be, whatever its code. */
export function mayBeRefusedForRequest(reply: Reply): boolean {
  if (reply.outcome !== "refused") return false;
  const { reason, status } = reply.error;
  return reason === undefined ? status < 500 : reason === "INVALID_ARGUMENT";
}

/** One line on what came back, for findings: `HTTP 404 not_found (RESOURCE_NOT_FOUND)`. */
export function describeReply(reply: Reply): string {
  switch (reply.outcome) {
    case "served": {
      const text = JSON.stringify(reply.row.stream ? reply.messages.map((message) => message.json) : reply.json);
      return `served: ${ellipted(text, maxShown)}`;
    }
    case "refused": {
      const { status, code, reason, message } = reply.error;
      return `refused: HTTP ${status} ${code}${reason === undefined ? "" : ` (${reason})`}${message === "" ? "" : ` "${message}"`}`;
    }
    case "broken":
      return `no usable reply: ${reply.why}`;
  }
}
