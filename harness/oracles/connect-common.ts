import type { Breach } from "../case.ts";
import { type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";

/** The breach of a response that did not come, or not whole. */
export function notWhole(why: string): Breach {
  return { clause: "connect.whole-reply", expected: "one whole HTTP response", actual: why };
}

/** Type and subtype of the content type, in lower case; empty where there is none. */
export function mediaType(headers: readonly Header[]): string {
  return (headerOf(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Whether the request offered a coding in this header. */
export function offers(exchange: Exchange, header: string, coding: string): boolean {
  const offered = headerOf(exchange.request.headers, header) ?? "";
  return offered.split(",").some((one) => one.trim() === coding);
}

/** Breaches in response headers: metadata under reserved names. */
export function judgeHeaders(headers: readonly Header[]): Breach[] {
  return headers
    .filter(([name]) => /^trailer-connect-/i.test(name))
    .map(([name]) => ({ clause: "connect.reserved-metadata", expected: "no metadata under connect-", actual: name }));
}

/** Breaches by HTTP trailers: Connect uses none. */
export function judgeTrailers(response: ReceivedResponse): Breach[] {
  const [first] = response.trailers;
  return first === undefined ? [] : [{ clause: "connect.no-trailers", expected: "no HTTP trailers", actual: first[0] }];
}

/** Breaches by keys that stand twice in one object. */
export function duplicates(paths: readonly string[]): Breach[] {
  return paths.map((at) => ({
    clause: "json.reply.duplicate-keys",
    at,
    expected: "each key once",
    actual: "the key twice",
  }));
}
