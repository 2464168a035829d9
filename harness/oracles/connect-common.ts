import type { Breach } from "../case/breach.ts";
import { type Exchange, type Header, headerOf, type ReceivedResponse } from "../wire/exchange.ts";

/** The breach of a response that did not arrive, or was cut short. */
export function incompleteResponse(why: string): Breach {
  return { clause: "connect.whole-reply", expected: "one whole HTTP response", actual: why };
}

/** Type and subtype of the content type, in lower case; empty where there is none. */
export function mediaType(headers: readonly Header[]): string {
  return (headerOf(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Names of the request headers that state the codings accepted of the reply, and the coding of the request itself. */
export interface CodingHeaders {
  readonly accepted: string;
  readonly own: string;
}

/**
 * The breach of a compressed reply. A coding is allowed that the request accepts, or, where the request accepts none, the
 * coding of the request itself (CP-U-46, CP-S-07). A reply in the request's own coding although the request accepts
 * others is no breach but an observation, `mirroredCoding`: known runtimes do that (CP-U-47).
 *
 * @param coding the coding the reply declares; undefined where it is compressed without declaring one
 * @param breach the clause broken, and the place in the reply
 */
export function judgeCoding(
  { request }: Exchange,
  coding: string | undefined,
  { accepted, own }: CodingHeaders,
  { clause, at }: { readonly clause: string; readonly at?: string },
): Breach[] {
  if (coding === "identity") return [];
  const codings = headerOf(request.headers, accepted);
  const isOwn = coding !== undefined && headerOf(request.headers, own) === coding;
  if (isOwn || codings?.split(",").some((one) => one.trim() === coding) === true) return [];
  return [
    {
      clause,
      ...(at === undefined ? {} : { at }),
      expected:
        codings === undefined ? "no coding, as the request accepts none" : `one of ${codings}, as the request accepts`,
      actual: coding ?? "compressed, in a coding that is not declared",
    },
  ];
}

/** Headers of the codings of a unary call, and of a stream's messages. */
export const unaryCodings: CodingHeaders = { accepted: "accept-encoding", own: "content-encoding" };
export const streamCodings: CodingHeaders = { accepted: "connect-accept-encoding", own: "connect-content-encoding" };

/** The coding of a reply that is the request's own, though the request accepts others only; undefined for any other reply. */
export function mirroredCoding({ request, response }: Exchange, { accepted, own }: CodingHeaders): string | undefined {
  const coding = response === undefined ? undefined : headerOf(response.headers, own);
  const codings = headerOf(request.headers, accepted);
  if (coding === undefined || coding === "identity" || codings === undefined) return undefined;
  const isMirrored =
    headerOf(request.headers, own) === coding && !codings.split(",").some((one) => one.trim() === coding);
  return isMirrored ? coding : undefined;
}

/** Breaches of `connect.reserved-metadata` in response headers. */
export function judgeHeaders(headers: readonly Header[]): Breach[] {
  return headers
    .filter(([name]) => /^trailer-connect-/i.test(name))
    .map(([name]) => ({ clause: "connect.reserved-metadata", expected: "no metadata under connect-", actual: name }));
}

/** Base64 without padding, and with as much as it takes: several values of one name stand with commas between them. */
const unpadded = /^[A-Za-z0-9+/_-]*$/;
const padded = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Breaches of `connect.reply.binary-metadata`: a value under a name in -bin that is no base64; in headers, that is padded.
 *
 * @param mayBePadded for values of an end-stream
 */
export function judgeBinary(entries: readonly Header[], mayBePadded: boolean): Breach[] {
  const form = mayBePadded ? padded : unpadded;
  return entries
    .filter(([name, value]) => /-bin$/i.test(name) && !value.split(",").every((one) => form.test(one.trim())))
    .map(([name, value]) => ({
      clause: "connect.reply.binary-metadata",
      at: name,
      expected: mayBePadded ? "base64" : "base64 without padding",
      actual: value,
    }));
}

/** Breaches of `connect.no-trailers`: Connect over HTTP uses no HTTP trailers. */
export function judgeTrailers(response: ReceivedResponse): Breach[] {
  const [first] = response.trailers;
  return first === undefined ? [] : [{ clause: "connect.no-trailers", expected: "no HTTP trailers", actual: first[0] }];
}

/** Breaches of `json.reply.duplicate-keys`. @param paths of keys that appear twice in one object */
export function duplicateKeys(paths: readonly string[]): Breach[] {
  return paths.map((at) => ({
    clause: "json.reply.duplicate-keys",
    at,
    expected: "each key once",
    actual: "the key twice",
  }));
}
