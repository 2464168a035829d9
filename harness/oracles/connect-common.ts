import type { Breach } from "../case/breach.ts";
import { type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";

/** The breach of a response that did not come, or not whole. */
export function notWhole(why: string): Breach {
  return { clause: "connect.whole-reply", expected: "one whole HTTP response", actual: why };
}

/** Type and subtype of the content type, in lower case; empty where there is none. */
export function mediaType(headers: readonly Header[]): string {
  return (headerOf(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The headers a request says with which codings a reply may have, and which one it has itself. */
export interface CodingHeaders {
  readonly offer: string;
  readonly own: string;
}

/**
 * The breach of a reply in a coding, named as it breaks the clause given: none where the coding was offered, or where nothing
 * was and the request has it too (CP-U-46, CP-S-07). That a server answers in the request's own coding though others were
 * offered is a lesser one: known runtimes do (CP-U-47).
 */
export function judgeCoding(
  { request }: Exchange,
  coding: string | undefined,
  { offer, own }: CodingHeaders,
  { clause, at }: { readonly clause: string; readonly at?: string },
): Breach[] {
  if (coding === "identity") return [];
  const offered = headerOf(request.headers, offer);
  const isOwn = coding !== undefined && headerOf(request.headers, own) === coding;
  if (offered === undefined ? isOwn : offered.split(",").some((one) => one.trim() === coding)) return [];
  const where = at === undefined ? {} : { at };
  const told = offered === undefined ? "none was offered" : `${offered} was offered`;
  return [
    {
      clause: isOwn ? "connect.coding-mirrored" : clause,
      ...where,
      expected: `no coding, as ${told}`,
      actual: coding ?? "compressed, in a coding that is not declared",
    },
  ];
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
