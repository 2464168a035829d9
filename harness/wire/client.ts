import { subscribe } from "node:diagnostics_channel";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { type Collected, type Pace, sendOnDedicatedConnection } from "./dedicated.ts";
import { type Chunk, type Exchange, type Header, headersIn, type WireFailure } from "./exchange.ts";
import { failureOf, limitOf } from "./failure.ts";
import { createSemaphore } from "./semaphore.ts";

/** A credential: sent as it is, shown as its label only. */
export interface Credential {
  readonly label: string;
  readonly token: string;
  /** Where its holder's browser would send it from: the `Origin` header of its calls, unless they have one. */
  readonly origin?: string;
}

/** One request to put on the wire. */
export interface WireRequest {
  readonly url: string;
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
  /** Called with each piece of a 200 as it arrives; returning false ends the exchange as `abandoned`. */
  readonly onChunk?: (chunk: Chunk, soFar: readonly Chunk[]) => boolean;
  readonly signal?: AbortSignal;
  /** Who sends it: while requests wait for their turn, senders take turns. */
  readonly sender?: unknown;
  /** The body is sent in so many pieces and without its length: chunked, or as frames. Default: whole. */
  readonly pieces?: number | undefined;
  /** Read slowly, on a connection of its own. Default: as quickly as it comes. */
  readonly pace?: Pace | undefined;
  /** The answer may go on until something else is asked: it does not keep others from being sent. */
  readonly lasting?: boolean;
}

/** Bounds of every exchange: milliseconds, bytes. */
export interface WireLimits {
  readonly connectMs: number;
  /** From sending to the last byte of a unary reply; also the idle limit of a stream. */
  readonly replyMs: number;
  readonly maxBodyBytes: number;
  readonly concurrency: number;
  readonly requestsPerSecond?: number | undefined;
}

export interface TlsTrust {
  /** PEM of the authority to trust beside the system's. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

/** The one way to the target: every request of a run passes here, under one limit, and comes back as an Exchange. */
export interface Wire {
  /** Sends one request. Never throws: whatever goes wrong is the exchange's `failure`. */
  send(request: WireRequest): Promise<Exchange>;
  /** Requests sent so far. */
  readonly count: number;
  close(): Promise<void>;
}

/** Why we ended an exchange ourselves. */
class Ended extends Error {
  readonly failure: WireFailure;
  constructor(failure: WireFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The headers of a request, with the `Origin` its credential is sent from. */
export function headersFrom(
  headers: readonly Header[],
  authorization: WireRequest["authorization"],
): readonly Header[] {
  const origin = typeof authorization === "object" ? authorization.origin : undefined;
  if (origin === undefined || headers.some(([name]) => name.toLowerCase() === "origin")) return headers;
  return [...headers, ["origin", origin]];
}

/** Every header of a request as it is sent, credential included. */
function allHeaders({ headers, authorization }: WireRequest): readonly Header[] {
  if (authorization === undefined) return headersFrom(headers, authorization);
  const value = typeof authorization === "string" ? authorization : `Bearer ${authorization.token}`;
  return [...headersFrom(headers, authorization), ["authorization", value]];
}

/** What the header of a request shows in the record: the label instead of the credential. */
export function shownAuthorization(authorization: Credential | string): string {
  return typeof authorization === "string" ? authorization : `Bearer <${authorization.label}>`;
}

/** How long an answer that goes on counts among the requests in flight, in milliseconds. */
const lastingMs = 100;

/** How long a request that is given up may still be written, in milliseconds. */
const flushMs = 2;

/** Collects one response byte for byte; nothing is decoded, redirects are answers like any other. */
function collect(agent: Dispatcher, request: WireRequest, limits: WireLimits): Promise<Collected> {
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // An address a target gave out, for an upload or a download.
    const failure = { kind: "malformed", message: `"${request.url}" is no HTTP address` } as const;
    return Promise.resolve({ response: undefined, failure, durationMs: 0 });
  }
  const started = performance.now();
  const limit = limitOf(request, limits.replyMs);
  return new Promise((resolve) => {
    let head: { status: number; headers: Header[] } | undefined;
    const chunks: Chunk[] = [];
    let size = 0;
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    const finish = (ended: boolean, trailers: Header[], failure?: WireFailure) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", onAbort);
      resolve({
        response: head === undefined ? undefined : { ...head, trailers, chunks, ended },
        failure,
        durationMs: performance.now() - started,
      });
    };
    const give = (failure: WireFailure) => {
      // Settle first: undici may report the abort later or, before a connection exists, not at all.
      finish(false, [], failure);
      // Then let what was just written go out: over HTTP/2 Node sends empty frames for ever where a stream is destroyed first.
      setTimeout(() => controller?.abort(new Ended(failure)), flushMs);
    };
    const onAbort = () => give({ kind: "abandoned", message: "given up by the case" });
    const timer = setTimeout(() => give(limit.failure), limit.ms);
    request.signal?.addEventListener("abort", onAbort);
    // While it waited for its turn, its case may have ended.
    if (request.signal?.aborted === true) return onAbort();
    const headers = allHeaders(request).flat();
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: (request.method ?? "POST") as Dispatcher.HttpMethod,
          headers,
          body: request.body ?? null,
          // Our own limit ends it; undici's would come now and then before it.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(started) {
            controller = started;
            if (settled) started.abort(new Ended({ kind: "abandoned", message: "given up before it was sent" }));
          },
          onResponseStart(_controller, status, received) {
            head = { status, headers: headersIn(received) };
          },
          onResponseData(_controller, bytes) {
            if (settled) return;
            // undici reuses its read buffer, so the bytes are copied.
            const chunk = { at: performance.now() - started, bytes: new Uint8Array(bytes) };
            chunks.push(chunk);
            size += bytes.byteLength;
            if (size > limits.maxBodyBytes) {
              give({ kind: "too-large", message: `the body is longer than ${limits.maxBodyBytes} bytes` });
            } else if (head?.status === 200 && request.onChunk?.(chunk, chunks) === false) {
              give({ kind: "abandoned", message: "seen enough" });
            }
          },
          onResponseEnd(_controller, trailers) {
            finish(true, headersIn(trailers));
          },
          onResponseError(_controller, error) {
            finish(false, [], error instanceof Ended ? error.failure : failureOf(error));
          },
        },
      );
    } catch (error) {
      // undici refuses what is no legal HTTP (such requests go over a bare socket instead).
      finish(false, [], { kind: "malformed", message: (error as Error).message });
    }
  });
}

// Where a request was given up before its response began, Node takes the response for a stream of its own, which nobody
// hears: an error at the end of its connection would end the process.
subscribe("http2.client.stream.created", (created) => {
  (created as { readonly stream: Readable }).stream.on("error", () => {});
});

/** Opens the wire to a target. HTTP/2 is used where the server offers it by ALPN. */
export function createWire(limits: WireLimits, tls: TlsTrust = {}): Wire {
  const agent = new Agent({
    allowH2: true,
    // As many as are in flight: how many those are is the semaphore's business.
    connections: null,
    pipelining: 1,
    // Shorter than any usual server's: a connection the server is about to close must not carry a request.
    keepAliveTimeout: 1000,
    connect: {
      timeout: limits.connectMs,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
    },
  });
  const semaphore = createSemaphore(limits.concurrency, limits.requestsPerSecond);
  let count = 0;
  return {
    get count() {
      return count;
    },
    send: (request) =>
      semaphore.run(async (leave) => {
        count += 1;
        const timer = request.lasting === true ? setTimeout(leave, lastingMs) : undefined;
        const startedAt = Date.now();
        const { authorization, pace, pieces } = request;
        // Sharing a connection over HTTP/2, undici now and then loses some of what answers a body in pieces.
        const collected = await (pace === undefined && pieces === undefined
          ? collect(agent, request, limits)
          : sendOnDedicatedConnection(request, allHeaders(request), limits, tls));
        clearTimeout(timer);
        return {
          number: 0,
          rpc: request.rpc,
          request: {
            method: request.method ?? "POST",
            url: request.url,
            headers:
              authorization === undefined
                ? request.headers
                : [
                    ...headersFrom(request.headers, authorization),
                    ["authorization", shownAuthorization(authorization)] as const,
                  ],
            body: request.body ?? new Uint8Array(),
          },
          ...collected,
          startedAt,
        };
      }, request.sender),
    close: () => agent.destroy(),
  };
}
