import type { JsonValue } from "@bufbuild/protobuf";
import { statusOfCode } from "../../proto/clauses/codes.ts";
import type { Breach } from "../case/breach.ts";
import type { ReceivedResponse, SentRequest } from "../wire/exchange.ts";
import { showJson } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { readJson } from "../wire/strict-json.ts";
import { duplicateKeys, mediaType } from "./connect-common.ts";

/** Statuses routers and proxies answer by themselves, in any form (TR-10, TR-12, CP-U-40). */
const infrastructure = new Set([404, 405, 413, 415, 429, 499, 502, 503, 504, 505]);

const unpaddedBase64 = /^[A-Za-z0-9+/]*$/;

/** Whether a request names its credential twice, which HTTP lets no sender do: proxies refuse it in a form of their own. */
const hasTwoCredentials = ({ headers }: SentRequest) =>
  headers.filter(([name]) => name.toLowerCase() === "authorization").length > 1;

/** Breaches in the body of an error response, to a request where it is known. */
export function judgeErrorBody(response: ReceivedResponse, body: Uint8Array, request?: SentRequest): Breach[] {
  const type = mediaType(response.headers);
  if (type !== "application/json") {
    if (infrastructure.has(response.status)) return [];
    if (response.status === 400 && request !== undefined && hasTwoCredentials(request)) return [];
    return [{ clause: "connect.error.content-type", expected: "application/json", actual: type || "none" }];
  }
  const reading = readJson(body);
  if (!reading.ok) return [{ clause: "connect.error.shape", expected: "an Error object", actual: reading.why }];
  const { breaches, code } = judgeError(reading.value);
  const expected = code === undefined ? undefined : statusOfCode[code];
  const fits =
    expected === undefined || expected === response.status || (code === "unimplemented" && response.status === 404);
  if (!fits) {
    breaches.push({
      clause: "connect.error.status",
      expected: `HTTP ${expected} for ${code}`,
      actual: `HTTP ${response.status}`,
    });
  }
  return [...breaches, ...duplicateKeys(reading.duplicates)];
}

/** Breaches in an Error object, with its code where it has one. */
export function judgeError(error: JsonValue): { breaches: Breach[]; code: string | undefined } {
  const breaches: Breach[] = [];
  const wrong = (at: string, expected: string, value: JsonValue | undefined) =>
    breaches.push({ clause: "connect.error.shape", at, expected, actual: showJson(value) });
  if (!isObject(error)) {
    wrong("", "an Error object", error);
    return { breaches, code: undefined };
  }
  const { code, message, details } = error;
  if (typeof code !== "string") wrong("code", "a string", code);
  else if (!Object.hasOwn(statusOfCode, code)) {
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
