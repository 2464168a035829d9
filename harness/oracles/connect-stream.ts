import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { compressedFlag, endStreamFlag } from "../wire/envelope.ts";
import { bodyOf, type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { showJson } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { readJson } from "../wire/strict-json.ts";
import { unpackEnvelopes } from "../wire/unpacked-envelopes.ts";
import {
  duplicateKeys,
  incompleteResponse,
  judgeBinary,
  judgeCoding,
  judgeHeaders,
  judgeTrailers,
  mediaType,
  streamCodings,
} from "./connect-common.ts";
import { judgeError, judgeErrorBody } from "./connect-error.ts";

/**
 * Breaches of the Connect protocol in one exchange of a server stream. A refusal may come as a plain HTTP error
 * (docs/contract/readings.md#17); a stream we stopped reading has no end to judge.
 */
export function judgeStream(exchange: Exchange): Breach[] {
  const { response, failure } = exchange;
  if (response === undefined) return [incompleteResponse(failure?.message ?? "no response came")];
  const abandoned = failure?.kind === "abandoned";
  if (!response.ended && !abandoned) return [incompleteResponse(failure?.message ?? "the response was cut short")];
  const { headers } = response;
  const breaches = [...judgeHeaders(headers), ...judgeBinary(headers, false), ...judgeTrailers(response)];
  const body = bodyOf(response);
  if (response.status < 200 || response.status >= 300) {
    return body.byteLength === 0 ? breaches : [...breaches, ...judgeErrorBody(response, body)];
  }
  if (response.status !== 200) {
    breaches.push({ clause: "connect.stream.status", expected: "HTTP 200", actual: `HTTP ${response.status}` });
  }
  const trailer = headers.find(([name]) => /^trailer-/i.test(name));
  if (trailer !== undefined) {
    breaches.push({
      clause: "connect.stream.trailers",
      expected: "trailing metadata in the end-stream",
      actual: `a header ${trailer[0]}`,
    });
  }
  const type = mediaType(headers);
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
  const coding = headerOf(response.headers, "connect-content-encoding");
  const { envelopes, rest } = unpackEnvelopes(body, coding);
  if (rest.byteLength > 0 && !abandoned) {
    add(
      "connect.stream.envelopes",
      `byte ${body.byteLength - rest.byteLength}`,
      "whole envelopes only",
      `${rest.byteLength} bytes that are no envelope`,
    );
  }
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
  for (const [index, { flags, bytes }] of envelopes.entries()) {
    const at = `envelope ${index}`;
    if ((flags & ~(compressedFlag | endStreamFlag)) !== 0)
      add("connect.stream.flags", at, "reserved bits zero", `flags ${flags}`);
    const compressed = (flags & compressedFlag) !== 0;
    // A flag that says compressed is a breach, too, where identity is declared: it says what is not so.
    const declared = coding === "identity" ? undefined : coding;
    if (compressed)
      breaches.push(...judgeCoding(exchange, declared, streamCodings, { clause: "connect.stream.compression", at }));
    const reading = bytes === undefined ? undefined : readJson(bytes);
    const clause = (flags & endStreamFlag) === 0 ? "connect.stream.payload" : "connect.stream.end-shape";
    if (reading?.ok !== true)
      add(clause, at, "one JSON object", reading === undefined ? "it does not decode" : reading.why);
    else if (!isObject(reading.value)) add(clause, at, "a JSON object", showJson(reading.value));
    else {
      breaches.push(...duplicateKeys(reading.duplicates));
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
    return breaches;
  }
  return [...breaches, ...judgeMetadata(metadata, isObject(end.error) ? end.error.code : undefined)];
}

/** Breaches in the names and binary values of an end-stream's metadata. @param code of its error */
function judgeMetadata(metadata: JsonObject, code: JsonValue | undefined): Breach[] {
  const names = Object.keys(metadata);
  const plain = names.map((name) => name.toLowerCase());
  // With its error for an unknown coding a known runtime says there which ones it knows (CP-S-17).
  const isReserved = (name: string) =>
    name.startsWith("connect-") && !(code === "unimplemented" && name === "connect-accept-encoding");
  const odd = names.find((_, index) => plain.indexOf(plain[index] ?? "") !== index || isReserved(plain[index] ?? ""));
  const values = Object.entries(metadata).flatMap(([name, list]) =>
    Array.isArray(list) ? list.map((value): Header => [name, String(value)]) : [],
  );
  const binary = judgeBinary(values, true);
  if (odd === undefined) return binary;
  const expected = "names that differ without case, none in connect-";
  return [...binary, { clause: "connect.stream.metadata-names", at: "metadata", expected, actual: odd }];
}
