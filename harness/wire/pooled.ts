import { subscribe } from "node:diagnostics_channel";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { createBodyCollector } from "./body.ts";
import { type Header, headersIn, type WireFailure } from "./exchange.ts";
import { failureOf, limitOf, tooLarge } from "./failure.ts";
import { setFairTimeout } from "./fair-timeout.ts";
import type { OwnLag } from "./own-lag.ts";
import { allHeaders, type Collected, maxBodyBytesOf, type WireLimits, type WireRequest } from "./request.ts";

/** Why we ended an exchange ourselves. */
class Ended extends Error {
  readonly failure: WireFailure;
  constructor(failure: WireFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What a request that undici is just beginning to write learns of its connection. */
let beginning: ((socket: object) => void) | undefined;

/** Connections that a request was written to. */
const used = new WeakSet<object>();

// undici publishes it in the turn in which it tells the request that it starts.
subscribe("undici:client:sendHeaders", (sent) => {
  const { socket } = sent as { readonly socket: object };
  beginning?.(socket);
  beginning = undefined;
  used.add(socket);
});

/** So late, in milliseconds, a new connection may be closed as idle before anything is written to it. */
const lateMs = 500;

/** How long a request that is given up may still be written, in milliseconds. */
const flushMs = 2;

/**
 * Sends one request over the shared connections and collects the response byte for byte: nothing is decoded, redirects
 * are not followed. Never rejects: whatever goes wrong is the failure.
 */
export function sendPooled(
  agent: Dispatcher,
  request: WireRequest,
  limits: WireLimits,
  lag: Pick<OwnLag, "totalMs">,
): Promise<Collected> {
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // An address a target gave out, for an upload or a download.
    const failure = { kind: "malformed", message: `"${request.url}" is no HTTP address` } as const;
    return Promise.resolve({ response: undefined, failure, durationMs: 0 });
  }
  const started = performance.now();
  const limit = limitOf(request, limits.replyMs);
  const lagBefore = lag.totalMs;
  return new Promise((resolve) => {
    let head: { status: number; headers: Header[] } | undefined;
    const body = createBodyCollector(limits.maxBodyBytes);
    let settled = false;
    let isReused = false;
    let controller: Dispatcher.DispatchController | undefined;
    const finish = (ended: boolean, trailers: Header[], failure?: WireFailure) => {
      if (settled) return;
      settled = true;
      clearLimit();
      request.signal?.removeEventListener("abort", onAbort);
      const wasIdle = isReused || lag.totalMs - lagBefore >= lateMs;
      const wasClosed = wasIdle && head === undefined && failure?.kind === "reset";
      resolve({
        response: head === undefined ? undefined : { ...head, trailers, chunks: body.chunks(), ended },
        failure,
        durationMs: performance.now() - started,
        ...(wasClosed && { closedWhileIdle: true }),
      });
    };
    const abort = (failure: WireFailure) => {
      // Settle first: undici may report the abort later or, before a connection exists, not at all.
      finish(false, [], failure);
      // Then let what was just written go out: over HTTP/2 Node sends empty frames for ever where a stream is destroyed first.
      setTimeout(() => controller?.abort(new Ended(failure)), flushMs);
    };
    const onAbort = () => abort({ kind: "abandoned", message: "given up by the case" });
    const clearLimit = setFairTimeout(() => abort(limit.failure), limit.ms, lag);
    request.signal?.addEventListener("abort", onAbort);
    // While it waited for its turn, its case may have ended.
    if (request.signal?.aborted === true) return onAbort();
    const headers = allHeaders(request).flat();
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: request.path ?? url.pathname + url.search,
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
            beginning = (socket) => {
              isReused = used.has(socket);
            };
            if (settled) started.abort(new Ended({ kind: "abandoned", message: "given up before it was sent" }));
          },
          onResponseStart(_controller, status, received) {
            head = { status, headers: headersIn(received) };
            body.begin(maxBodyBytesOf(status, limits), head.headers);
          },
          onResponseData(_controller, bytes) {
            if (settled) return;
            const chunk = body.add(bytes, performance.now() - started);
            if (body.isTooLarge) {
              abort(tooLarge(maxBodyBytesOf(head?.status ?? 0, limits)));
            } else if (head?.status === 200 && request.onChunk?.(chunk) === false) {
              abort({ kind: "abandoned", message: "seen enough" });
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
