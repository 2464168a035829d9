import { createHash } from "node:crypto";
import { decodeBytes } from "./encode.ts";
import type { EvidenceBytes, EvidenceHeaders, ExchangeEvent, LeftOut, Withheld } from "./events.ts";

/** SHA-256 of bytes, as those compare it who have them. */
export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What stands in the place of bytes; what stands there already stays. */
export function leftOut(bytes: Uint8Array | LeftOut): LeftOut {
  if (!(bytes instanceof Uint8Array)) return bytes;
  return { leftOut: bytes.byteLength, sha256: sha256Of(bytes) };
}

/** What stands in the place of a text. No hash: a short text can be guessed by it. */
export function leftOutText(text: string): string {
  return `<left out: ${Buffer.byteLength(text)} bytes>`;
}

/** The bodies of an exchange as they were, of which one may be left out. */
export interface Bodies<B = Uint8Array> {
  readonly request?: B;
  readonly response?: B;
}

type Response = NonNullable<ExchangeEvent["response"]>;

function withoutBody({ chunks, ...response }: Response, body: Uint8Array | LeftOut): Response {
  return { ...response, chunks: [{ at: chunks.at(-1)?.at ?? 0, bytes: leftOut(body) }] };
}

/** An event without the bodies that are given; where that is the request's, without what was asked, too. */
export function withoutBodies(
  event: ExchangeEvent,
  why: Withheld,
  { request, response }: Bodies<Uint8Array | LeftOut>,
): ExchangeEvent {
  const { asked, ...call } = event.call ?? { rpc: "", exempt: [], judged: false };
  const isAskedKept = asked !== undefined && request === undefined;
  return {
    ...event,
    ...(event.call === undefined ? {} : { call: { ...call, ...(isAskedKept ? { asked } : {}), judged: false } }),
    request: request === undefined ? event.request : { ...event.request, body: leftOut(request) },
    ...(event.response === undefined || response === undefined
      ? {}
      : { response: withoutBody(event.response, response) }),
    withheld: why,
  };
}

/** An event without each text of it that may not be written: addresses, headers, messages. */
function withoutTexts(event: ExchangeEvent, mayStand: (text: string) => boolean): ExchangeEvent {
  const text = (one: string) => (mayStand(one) ? one : leftOutText(one));
  const headers = (of: EvidenceHeaders): EvidenceHeaders => of.map(([name, value]) => [text(name), text(value)]);
  const { request, response, failure } = event;
  return {
    ...event,
    request: { ...request, url: text(request.url), headers: headers(request.headers) },
    ...(response === undefined
      ? {}
      : { response: { ...response, headers: headers(response.headers), trailers: headers(response.trailers) } }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: text(failure.message) } }),
  };
}

/** An event of which nothing stands that another origin answered, but for the status. */
export function withoutAnswer(event: ExchangeEvent, body: LeftOut): ExchangeEvent {
  const { response, failure, ...rest } = withoutBodies(event, "origin", { response: body });
  return {
    ...rest,
    ...(response === undefined ? {} : { response: { ...response, headers: [], trailers: [] } }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: leftOutText(failure.message) } }),
  };
}

/** Whether a text, or the bytes of a body, may be written. */
export type MayStand = (text: string | Uint8Array) => boolean;

/** An event without those of its parts that may not be written; without all of them, where that does not suffice. */
export function withoutSecrets(event: ExchangeEvent, mayStand: MayStand, bodies: Required<Bodies>): ExchangeEvent {
  const written = (some: readonly EvidenceBytes[]) => Buffer.concat(some.map(decodeBytes));
  const { asked } = event.call ?? {};
  const request = written([event.request.body]);
  const response = written(event.response?.chunks.map(({ bytes }) => bytes) ?? []);
  const isAskedKept = asked === undefined || mayStand(JSON.stringify(asked));
  const sparse = withoutTexts(
    withoutBodies(event, "secret", {
      ...(mayStand(request) && isAskedKept ? {} : { request: bodies.request }),
      ...(mayStand(response) ? {} : { response: bodies.response }),
    }),
    mayStand,
  );
  return mayStand(JSON.stringify(sparse)) ? sparse : withoutTexts(withoutBodies(sparse, "secret", bodies), () => false);
}
