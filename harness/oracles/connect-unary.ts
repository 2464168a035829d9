import { statusOfCode } from "../../proto/clauses/codes.ts";
import type { Breach } from "../case/breach.ts";
import { decodeContent } from "../wire/coding.ts";
import { bodyOf, type Exchange, headerOf, type ReceivedResponse } from "../wire/exchange.ts";
import { showJson } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { readJson } from "../wire/strict-json.ts";
import {
  duplicateKeys,
  incompleteResponse,
  judgeBinary,
  judgeCoding,
  judgeHeaders,
  judgeTrailers,
  mediaType,
  unaryCodings,
} from "./connect-common.ts";
import { judgeErrorBody } from "./connect-error.ts";

/** Breaches of the Connect protocol in one exchange of a unary call. Codings are judged by what the request offered. */
export function judgeUnary(exchange: Exchange): Breach[] {
  const { response, failure } = exchange;
  if (response === undefined || !response.ended)
    return [incompleteResponse(failure?.message ?? "the response was cut short")];
  const { headers } = response;
  const breaches = [...judgeHeaders(headers), ...judgeBinary(headers, false), ...judgeTrailers(response)];
  const coding = headerOf(response.headers, "content-encoding");
  if (coding !== undefined)
    breaches.push(...judgeCoding(exchange, coding, unaryCodings, { clause: "connect.unary.encoding" }));
  const body = decodeContent(bodyOf(response), coding);
  if (body === undefined) {
    return [
      ...breaches,
      { clause: "connect.unary.encoding", expected: `a body that decodes as ${coding}`, actual: "it does not" },
    ];
  }
  if (response.status >= 200 && response.status < 300) breaches.push(...judgeSuccess(response, body));
  else if (body.byteLength > 0) breaches.push(...judgeErrorBody(response, body, exchange.request));
  return breaches;
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
    breaches.push(...duplicateKeys(reading.duplicates));
    // An Error object in a success: the shape no response message of the contract has.
    if (typeof reading.value.code === "string" && Object.hasOwn(statusOfCode, reading.value.code)) {
      breaches.push({ clause: "connect.error.not-200", expected: "an error status", actual: showJson(reading.value) });
    }
  }
  return breaches;
}
