import type { JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case.ts";
import { showJson } from "../json.ts";
import { compressedFlag, decodeEnvelopes, endStreamFlag } from "../wire/envelope.ts";
import { bodyOf, type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { decodeContent, isObject } from "../wire/reply.ts";
import { readJson } from "../wire/strict-json.ts";

/** Error codes with the HTTP status a server sends (protocol sheet §1.4). */
const statuses: Readonly<Record<string, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** Statuses routers and proxies answer by themselves, in any form (TR-10, TR-12, CP-U-40). */
const infrastructure = new Set([404, 405, 413, 415, 429, 499, 502, 503, 504, 505]);
const unpaddedBase64 = /^[A-Za-z0-9+/]*$/;

/** Breaches of the Connect protocol in one exchange of a unary call. Codings are judged by what the request offered. */
export function judgeUnary(exchange: Exchange): Breach[] {
  const { response, failure } = exchange;
  if (response === undefined || !response.ended) return [notWhole(failure?.message ?? "the response was cut short")];
  const breaches = [...judgeHeaders(response.headers), ...judgeTrailers(response)];
  const coding = headerOf(response.headers, "content-encoding");
  if (coding !== undefined && coding !== "identity" && !offers(exchange, "accept-encoding", coding)) {
    breaches.push({
      clause: "connect.unary.encoding",
      expected: "no content coding, as none was offered",
      actual: coding,
    });
  }
  const body = decodeContent(bodyOf(response), coding);
  if (body === undefined) {
    return [
      ...breaches,
      { clause: "connect.unary.encoding", expected: `a body that decodes as ${coding}`, actual: "it does not" },
    ];
  }
  if (response.status >= 200 && response.status < 300) breaches.push(...judgeSuccess(response, body));
  else if (body.byteLength > 0) breaches.push(...judgeErrorBody(response, body));
  return breaches;
}

function notWhole(why: string): Breach {
  return { clause: "connect.whole-reply", expected: "one whole HTTP response", actual: why };
}

function mediaType(headers: readonly Header[]): string {
  return (headerOf(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function offers(exchange: Exchange, header: string, coding: string): boolean {
  const offered = headerOf(exchange.request.headers, header) ?? "";
  return offered.split(",").some((one) => one.trim() === coding);
}

function judgeHeaders(headers: readonly Header[]): Breach[] {
  return headers
    .filter(([name]) => /^trailer-connect-/i.test(name))
    .map(([name]) => ({ clause: "connect.reserved-metadata", expected: "no metadata under connect-", actual: name }));
}

function judgeTrailers(response: ReceivedResponse): Breach[] {
  const [first] = response.trailers;
  return first === undefined ? [] : [{ clause: "connect.no-trailers", expected: "no HTTP trailers", actual: first[0] }];
}

function duplicates(paths: readonly string[]): Breach[] {
  return paths.map((at) => ({
    clause: "json.reply.duplicate-keys",
    at,
    expected: "each key once",
    actual: "the key twice",
  }));
}

function judgeSuccess(response: ReceivedResponse, body: Uint8Array): Breach[] {
  const breaches: Breach[] = [];
  const type = mediaType(response.headers);
  if (response.status !== 200) {
    breaches.push({ clause: "connect.unary.status", expected: "HTTP 200", actual: `HTTP ${response.status}` });
  }
  if (type !== "application/json") {
    breaches.push({ clause: "connect.unary.content-type", expected: "application/json", actual: type || "none" });
  }
  const reading = readJson(body);
  if (!reading.ok) {
    breaches.push({ clause: "connect.unary.one-object", expected: "one JSON object", actual: reading.why });
  } else if (!isObject(reading.value)) {
    breaches.push({ clause: "connect.unary.one-object", expected: "a JSON object", actual: showJson(reading.value) });
  } else {
    breaches.push(...duplicates(reading.duplicates));
    // An Error object in a success: the shape no response message of the contract has.
    if (typeof reading.value.code === "string" && Object.hasOwn(statuses, reading.value.code)) {
      breaches.push({ clause: "connect.error.not-200", expected: "an error status", actual: showJson(reading.value) });
    }
  }
  return breaches;
}

function judgeErrorBody(response: ReceivedResponse, body: Uint8Array): Breach[] {
  const type = mediaType(response.headers);
  if (type !== "application/json") {
    if (infrastructure.has(response.status)) return [];
    return [{ clause: "connect.error.content-type", expected: "application/json", actual: type || "none" }];
  }
  const reading = readJson(body);
  if (!reading.ok) return [{ clause: "connect.error.shape", expected: "an Error object", actual: reading.why }];
  const { breaches, code } = judgeError(reading.value);
  const expected = code === undefined ? undefined : statuses[code];
  const fits =
    expected === undefined || expected === response.status || (code === "unimplemented" && response.status === 404);
  if (!fits) {
    breaches.push({
      clause: "connect.error.status",
      expected: `HTTP ${expected} for ${code}`,
      actual: `HTTP ${response.status}`,
    });
  }
  return [...breaches, ...duplicates(reading.duplicates)];
}

function judgeError(error: JsonValue): { breaches: Breach[]; code: string | undefined } {
  const breaches: Breach[] = [];
  const wrong = (at: string, expected: string, value: JsonValue | undefined) =>
    breaches.push({ clause: "connect.error.shape", at, expected, actual: showJson(value) });
  if (!isObject(error)) {
    wrong("", "an Error object", error);
    return { breaches, code: undefined };
  }
  const { code, message, details } = error;
  if (typeof code !== "string") wrong("code", "a string", code);
  else if (!Object.hasOwn(statuses, code)) {
    breaches.push({ clause: "connect.error.code", at: "code", expected: "one of the sixteen codes", actual: code });
  }
  if (message !== undefined && typeof message !== "string") wrong("message", "a string", message);
  if (details !== undefined && !Array.isArray(details)) wrong("details", "an array", details);
  for (const [index, detail] of (Array.isArray(details) ? details : []).entries()) {
    const at = `details[${index}]`;
    if (!isObject(detail)) wrong(at, "an object", detail);
    else {
      if (typeof detail.type !== "string" || detail.type.includes("/"))
        wrong(`${at}.type`, "a message name without URL prefix", detail.type);
      const { value } = detail;
      if (typeof value !== "string" || !unpaddedBase64.test(value) || value.length % 4 === 1) {
        wrong(`${at}.value`, "unpadded standard base64", value);
      }
    }
  }
  return { breaches, code: typeof code === "string" ? code : undefined };
}

/**
 * Breaches of the Connect protocol in one exchange of a server stream. A refusal may come as a plain HTTP error
 * (readings 17); a stream we stopped reading has no end to judge.
 */
export function judgeStream(exchange: Exchange): Breach[] {
  const { response, failure } = exchange;
  if (response === undefined) return [notWhole(failure?.message ?? "no response came")];
  const abandoned = failure?.kind === "abandoned";
  if (!response.ended && !abandoned) return [notWhole(failure?.message ?? "the response was cut short")];
  const breaches = [...judgeHeaders(response.headers), ...judgeTrailers(response)];
  const body = bodyOf(response);
  if (response.status < 200 || response.status >= 300) {
    return body.byteLength === 0 ? breaches : [...breaches, ...judgeErrorBody(response, body)];
  }
  if (response.status !== 200) {
    breaches.push({ clause: "connect.stream.status", expected: "HTTP 200", actual: `HTTP ${response.status}` });
  }
  const type = mediaType(response.headers);
  if (type !== "application/connect+json") {
    breaches.push({
      clause: "connect.stream.content-type",
      expected: "application/connect+json",
      actual: type || "none",
    });
  }
  return [...breaches, ...judgeEnvelopes(exchange, response, body, abandoned)];
}

function judgeEnvelopes(
  exchange: Exchange,
  response: ReceivedResponse,
  body: Uint8Array,
  abandoned: boolean,
): Breach[] {
  const breaches: Breach[] = [];
  const add = (clause: string, at: string, expected: string, actual: string) =>
    breaches.push({ clause, at, expected, actual });
  const { envelopes, rest } = decodeEnvelopes(body);
  if (rest.byteLength > 0 && !abandoned) {
    add(
      "connect.stream.envelopes",
      `byte ${body.byteLength - rest.byteLength}`,
      "whole envelopes only",
      `${rest.byteLength} bytes that are no envelope`,
    );
  }
  const coding = headerOf(response.headers, "connect-content-encoding");
  const firstEnd = envelopes.findIndex(({ flags }) => (flags & endStreamFlag) !== 0);
  if (firstEnd === -1 && !abandoned)
    add("connect.stream.end", "the end", "an end-stream envelope", `${envelopes.length} envelopes without one`);
  if (firstEnd !== -1 && firstEnd < envelopes.length - 1) {
    add(
      "connect.stream.end",
      `envelope ${firstEnd}`,
      "the end-stream last",
      `${envelopes.length - 1 - firstEnd} envelopes after it`,
    );
  }
  for (const [index, { flags, payload }] of envelopes.entries()) {
    const at = `envelope ${index}`;
    if ((flags & ~(compressedFlag | endStreamFlag)) !== 0)
      add("connect.stream.flags", at, "reserved bits zero", `flags ${flags}`);
    const compressed = (flags & compressedFlag) !== 0;
    if (
      compressed &&
      (coding === undefined || coding === "identity" || !offers(exchange, "connect-accept-encoding", coding))
    ) {
      add(
        "connect.stream.compression",
        at,
        "no compression, as none was offered",
        `compressed, coding ${coding ?? "not declared"}`,
      );
    }
    const bytes = compressed ? decodeContent(payload, coding) : payload;
    const reading = bytes === undefined ? undefined : readJson(bytes);
    const clause = (flags & endStreamFlag) === 0 ? "connect.stream.payload" : "connect.stream.end-shape";
    if (reading?.ok !== true)
      add(clause, at, "one JSON object", reading === undefined ? "it does not decode" : reading.why);
    else if (!isObject(reading.value)) add(clause, at, "a JSON object", showJson(reading.value));
    else {
      breaches.push(...duplicates(reading.duplicates));
      if ((flags & endStreamFlag) !== 0) breaches.push(...judgeEndStream(reading.value));
    }
  }
  return breaches;
}

function judgeEndStream(end: { readonly [key: string]: JsonValue }): Breach[] {
  const breaches: Breach[] = [];
  if (Object.hasOwn(end, "error")) {
    const judged = judgeError(end.error ?? null).breaches;
    breaches.push(
      ...judged.map((breach) => ({
        ...breach,
        clause: breach.clause === "connect.error.shape" ? "connect.stream.end-shape" : breach.clause,
      })),
    );
  }
  const { metadata } = end;
  if (metadata === undefined) return breaches;
  const lists = isObject(metadata) ? Object.values(metadata) : [metadata];
  if (
    !lists.every((list) => Array.isArray(list) && list.every((one) => typeof one === "string")) ||
    !isObject(metadata)
  ) {
    breaches.push({
      clause: "connect.stream.end-shape",
      at: "metadata",
      expected: "names with lists of strings",
      actual: showJson(metadata),
    });
  }
  return breaches;
}
