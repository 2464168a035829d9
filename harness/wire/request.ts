import type { Batch } from "./batch.ts";
import type { Chunk, Header, ReceivedResponse, WireFailure } from "./exchange.ts";

/** A credential: `token` is sent, `label` is what findings and evidence show. */
export interface Credential {
  readonly label: string;
  readonly token: string;
  /** `Origin` header of calls made with it, unless they set one: a browser token is bound to an origin. */
  readonly origin?: string;
}

/** Path and query as an address has them, where the path has segments `.` or `..`: whoever parses it takes these away. Else undefined. */
export const dottedPath = (url: string): string | undefined =>
  /^[a-z]+:\/\/[^/?#]+((?:\/[^?#]*)?\/\.{1,2}(?:[/?#].*)?)$/i.exec(url)?.[1];

/** One request to put on the wire. */
export interface WireRequest {
  readonly url: string;
  /** The path with the query, sent just as it is written. Default: that of the URL, without segments `.` and `..`. */
  readonly path?: string;
  readonly method?: string;
  readonly headers: readonly Header[];
  readonly body?: Uint8Array;
  /** Sent as `Authorization: Bearer …`; a string is sent verbatim as the whole header value. */
  readonly authorization?: Credential | string | undefined;
  readonly rpc?: string;
  /** Overrides the whole-exchange deadline, in milliseconds. */
  readonly timeoutMs?: number;
  /** Ends the exchange as `abandoned` so many milliseconds after it was sent. */
  readonly listenMs?: number;
  /** Called with each piece of a 200 as it arrives; returning false ends the exchange as `abandoned`. Its bytes do not last. */
  readonly onChunk?: (chunk: Chunk) => boolean;
  readonly signal?: AbortSignal;
  /** Who sends it: while requests wait for the limit, senders take turns. */
  readonly sender?: unknown;
  /** Requests that it is to leave with. */
  readonly batch?: Batch | undefined;
  /** Called when its turn has come: throws where it is not to be sent any more. */
  readonly onTurn?: () => void;
  /** Sends the body in so many pieces without Content-Length: chunked, or as HTTP/2 frames. Default: whole. */
  readonly pieces?: number | undefined;
  /** Reads the response slowly, on a dedicated connection. Default: as fast as it arrives. */
  readonly pace?: Pace | undefined;
  /** The response may last until another request is made: it soon stops counting against the limit of requests in flight. */
  readonly lasting?: boolean;
}

/** Bounds of every exchange: milliseconds, bytes. */
export interface WireLimits {
  readonly connectMs: number;
  /** From sending to the last byte of a unary reply; also the idle limit of a stream. */
  readonly replyMs: number;
  /** Of a success. What says that something went wrong may have a quarter of it: see `maxBodyBytesOf`. */
  readonly maxBodyBytes: number;
  readonly concurrency: number;
  readonly requestsPerSecond?: number | undefined;
}

/**
 * What the body of a response may have, in bytes. A case keeps dozens of refusals until it ends, beside few successes: a server
 * that wraps each refusal in megabytes would fill the memory.
 */
export function maxBodyBytesOf(status: number, { maxBodyBytes }: WireLimits): number {
  return status < 400 ? maxBodyBytes : Math.ceil(maxBodyBytes / 4);
}

/** Most bytes that the headers of a response may come to: what is longer is no whole response. Node's own limit is a user's to change. */
export const maxHeaderBytes = 65_536;

/** Which certificates of the target are accepted. */
export interface TlsTrust {
  /** PEM of a certificate authority to trust in addition to those of the system. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

/** How slowly a response is read. */
export interface Pace {
  /** Reading begins once this settles; over HTTP/2 the server cannot send more than a few bytes before. */
  readonly readAfter: Promise<unknown>;
  /** How long the end of the response is still waited for once `onChunk` has seen enough, in milliseconds. */
  readonly lingerMs: number;
}

/** What came back for a request, however it was sent. */
export interface Collected {
  readonly response: ReceivedResponse | undefined;
  readonly failure: WireFailure | undefined;
  readonly durationMs: number;
  /**
   * It went over a connection that had served others before, or was written to late, as this thread was busy, and that was closed
   * before anything of a response came.
   */
  readonly closedWhileIdle?: true;
}

/** The headers of a request with the `Origin` of its credential added, unless they have one. */
export function headersFrom(
  headers: readonly Header[],
  authorization: WireRequest["authorization"],
): readonly Header[] {
  const origin = typeof authorization === "object" ? authorization.origin : undefined;
  if (origin === undefined || headers.some(([name]) => name.toLowerCase() === "origin")) return headers;
  return [...headers, ["origin", origin]];
}

/** Every header of a request as it is sent, credential included. */
export function allHeaders({ headers, authorization }: WireRequest): readonly Header[] {
  if (authorization === undefined) return headersFrom(headers, authorization);
  const value = typeof authorization === "string" ? authorization : `Bearer ${authorization.token}`;
  return [...headersFrom(headers, authorization), ["authorization", value]];
}

/** The Authorization value as an exchange records it: the label in place of the token. */
export function shownAuthorization(authorization: Credential | string): string {
  return typeof authorization === "string" ? authorization : `Bearer <${authorization.label}>`;
}
