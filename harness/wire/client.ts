import { Agent } from "undici";
import { createAdaptiveLimit } from "./adaptive-limit.ts";
import { createAdaptivePace, type Overload } from "./adaptive-pace.ts";
import { sendOnDedicatedConnection } from "./dedicated.ts";
import { bodyLength, type Exchange } from "./exchange.ts";
import { measureOwnLag } from "./own-lag.ts";
import { sendPooled } from "./pooled.ts";
import {
  allHeaders,
  type Collected,
  headersFrom,
  maxHeaderBytes,
  shownAuthorization,
  type TlsTrust,
  type WireLimits,
  type WireRequest,
} from "./request.ts";
import { createSemaphore } from "./semaphore.ts";

/** The only way to the target: every request of a run is sent here, under one limit, and comes back as an Exchange. */
export interface Wire {
  /** Sends one request. Throws what its `onTurn` throws, and nothing else: whatever goes wrong is the exchange's `failure`. */
  send(request: WireRequest): Promise<Exchange>;
  /** Requests sent so far. */
  readonly count: number;
  /** Requests that may be in flight by now. */
  readonly permits: number;
  /** Whether another request would be sent at once, by what is in flight. */
  readonly isFree: boolean;
  /** Tells that the target answered that it is busy: it is asked less at once, and where too many came in a time, more slowly. */
  backOff(overload?: Overload): void;
  close(): Promise<void>;
}

/** How long a request of a kind that was never answered counts as load, in milliseconds. */
const silentMs = 500;

/** What is known of a request when it is sent. */
interface Asked {
  /** Requests in flight, itself included. */
  readonly inFlight: number;
  readonly lagMs: number;
}

/** From this length on an answer is heavy, in bytes: what is made of it takes several times as much. */
const heavyBytes = 2 ** 20;

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
    // Nor longer where it promises more: a proxy before it may close sooner.
    keepAliveMaxTimeout: 1000,
    maxHeaderSize: maxHeaderBytes,
    connect: {
      timeout: limits.connectMs,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
    },
  });
  const limit = createAdaptiveLimit(limits.concurrency);
  const ownLag = measureOwnLag();
  const mostInFlight = () => Math.min(limits.concurrency, limit.permits + unanswered);
  const pace = createAdaptivePace();
  const perSecond = () =>
    Math.min(limits.requestsPerSecond ?? Number.POSITIVE_INFINITY, pace.perSecond ?? Number.POSITIVE_INFINITY);
  const semaphore = createSemaphore(mostInFlight, perSecond);
  let [count, inFlight, unanswered] = [0, 0, 0];

  /** What the target never answers is no load: after a while others may be sent beside it. Returns what ends that. */
  function watchSilence({ rpc = "", lasting = false }: WireRequest): () => void {
    if (lasting || limit.everAnswered(rpc)) return () => {};
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      unanswered += 1;
      semaphore.recheck();
    }, silentMs);
    return () => {
      clearTimeout(timer);
      if (isSilent) unanswered -= 1;
    };
  }

  /** Learns from an exchange how the target bears what is asked at once. What goes on by its nature says nothing of it. */
  function learn({ failure, response, durationMs }: Collected, request: WireRequest, asked: Asked): void {
    const isStatus = (status: number) => response?.status === status;
    // Who gives a time of his own does not mean to wait.
    if (failure?.kind === "timeout" && request.timeoutMs === undefined) limit.timedOut(request.rpc ?? "");
    if (isStatus(429) || isStatus(503)) limit.overloaded();
    else if (response !== undefined) pace.answered();
    if (failure?.kind === "too-large" || bodyLength(response) >= heavyBytes) limit.heavy();
    if (failure !== undefined || request.lasting === true || request.pace !== undefined) return;
    const ms = Math.max(0, durationMs - (ownLag.totalMs - asked.lagMs));
    limit.note({ key: request.rpc ?? "", status: response?.status ?? 0, ms, inFlight: asked.inFlight });
  }

  return {
    get count() {
      return count;
    },
    get permits() {
      return limit.permits;
    },
    get isFree() {
      return inFlight < mostInFlight();
    },
    backOff(overload) {
      limit.overloaded();
      if (overload !== undefined) pace.refused(overload);
    },
    send: (request) =>
      semaphore.run(
        async (release) => {
          request.onTurn?.();
          count += 1;
          const counted = request.lasting === true ? 0 : 1;
          inFlight += counted;
          const endSilence = watchSilence(request);
          const asked: Asked = { inFlight, lagMs: ownLag.totalMs };
          const timer = request.lasting === true ? setTimeout(release, lastingMs) : undefined;
          const startedAt = Date.now();
          const { authorization, pace, pieces } = request;
          // Sharing a connection over HTTP/2, undici now and then loses some of what answers a body in pieces.
          const sendAlone = () => sendOnDedicatedConnection(request, allHeaders(request), limits, tls, ownLag);
          const shared = pace === undefined && pieces === undefined;
          let collected = await (shared ? sendPooled(agent, request, limits, ownLag) : sendAlone());
          // Who was busy for long may close a connection that it takes for idle, with the request on it unread: it is put again
          // on a new one (RFC 9110, 9.2.2; a mutation is put again under its requestId).
          if (collected.closedWhileIdle && request.signal?.aborted !== true) collected = await sendAlone();
          clearTimeout(timer);
          inFlight -= counted;
          endSilence();
          learn(collected, request, asked);
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
        },
        // What a stream shows may be there for a moment only: of a run whose text is not kept, say.
        { queue: request.sender, batch: request.batch, isUrgent: request.lasting === true },
      ),
    close() {
      ownLag.stop();
      return agent.destroy();
    },
  };
}
