import { Agent } from "undici";
import { sendOnDedicatedConnection } from "./dedicated.ts";
import type { Exchange } from "./exchange.ts";
import { sendPooled } from "./pooled.ts";
import {
  allHeaders,
  headersFrom,
  shownAuthorization,
  type TlsTrust,
  type WireLimits,
  type WireRequest,
} from "./request.ts";
import { createSemaphore } from "./semaphore.ts";

/** The only way to the target: every request of a run is sent here, under one limit, and comes back as an Exchange. */
export interface Wire {
  /** Sends one request. Never throws: whatever goes wrong is the exchange's `failure`. */
  send(request: WireRequest): Promise<Exchange>;
  /** Requests sent so far. */
  readonly count: number;
  close(): Promise<void>;
}

/** How long a lasting response counts against the limit of requests in flight, in milliseconds. */
const lastingMs = 100;

/** Opens the wire to a target. HTTP/2 is used where the server offers it by ALPN. */
export function createWire(limits: WireLimits, tls: TlsTrust = {}): Wire {
  const agent = new Agent({
    allowH2: true,
    // Unlimited: the semaphore limits the requests in flight.
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
      semaphore.run(async (release) => {
        count += 1;
        const timer = request.lasting === true ? setTimeout(release, lastingMs) : undefined;
        const startedAt = Date.now();
        const { authorization, pace, pieces } = request;
        // Sharing a connection over HTTP/2, undici now and then loses some of what answers a body in pieces.
        const collected = await (pace === undefined && pieces === undefined
          ? sendPooled(agent, request, limits)
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
