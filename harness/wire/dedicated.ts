import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { createBodyCollector } from "./body.ts";
import { bomb, createBombWatch } from "./bomb-watch.ts";
import { type Header, headerOf, type WireFailure } from "./exchange.ts";
import { failureOf, limitOf, tooLarge } from "./failure.ts";
import { setFairTimeout } from "./fair-timeout.ts";
import { type Answer, requestOn } from "./node-http.ts";
import type { OwnLag } from "./own-lag.ts";
import { type Collected, maxBodyBytesOf, type TlsTrust, type WireLimits, type WireRequest } from "./request.ts";
import { openSocket } from "./socket.ts";

/** Waits until a socket is connected, TLS included. Rejects where it is not within `connectMs`. */
function connected(socket: Socket, connectMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error(`no connection within ${connectMs} ms`), { code: "CONNECT_TIMEOUT" }));
    }, connectMs);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      if (error === undefined) resolve(socket);
      else reject(error);
    };
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => settle());
    socket.on("error", settle);
  });
}

/**
 * Sends one request on a connection of its own: in pieces, or read at the pace of a slow reader. Never rejects: whatever
 * goes wrong is the failure.
 *
 * @param headers all headers to send, credential included
 */
export async function sendOnDedicatedConnection(
  request: WireRequest,
  headers: readonly Header[],
  limits: WireLimits,
  tls: TlsTrust,
  lag: Pick<OwnLag, "totalMs">,
): Promise<Collected> {
  const started = performance.now();
  const { pace } = request;
  const limit = limitOf(request, limits.replyMs);
  const url = new URL(request.url);
  const socket = openSocket(url, tls, ["h2", "http/1.1"]);
  const body = createBodyCollector(limits.maxBodyBytes);
  let answer: Answer | undefined;
  let aborted: WireFailure | undefined;
  const abort = (failure: WireFailure) => {
    aborted ??= failure;
    answer?.body.destroy();
    socket.destroy();
    stop.resolve();
  };
  const stop = Promise.withResolvers<void>();
  const onAbort = () => abort({ kind: "abandoned", message: "given up by the case" });
  const clearLimit = setFairTimeout(() => abort(limit.failure), limit.ms, lag);
  const timers: NodeJS.Timeout[] = [];
  request.signal?.addEventListener("abort", onAbort);
  if (request.signal?.aborted === true) onAbort();

  const read = async (): Promise<void> => {
    answer = await requestOn(await connected(socket, limits.connectMs), url, request, headers);
    await pace?.readAfter;
    const allowed = maxBodyBytesOf(answer.status, limits);
    body.begin(allowed, answer.headers);
    answer.openWindow();
    let enough = false;
    const isStream = request.lasting === true && answer.status === 200;
    const isBomb = createBombWatch(isStream ? headerOf(answer.headers, "connect-content-encoding") : undefined);
    for await (const bytes of answer.body as AsyncIterable<Uint8Array>) {
      const chunk = body.add(bytes, performance.now() - started);
      if (body.isTooLarge) abort(tooLarge(allowed));
      else if (isBomb(chunk.bytes)) abort(bomb);
      else if (!enough && answer.status === 200 && request.onChunk?.(chunk) === false) {
        enough = true;
        timers.push(setTimeout(() => abort({ kind: "abandoned", message: "seen enough" }), pace?.lingerMs ?? 0));
      }
    }
  };
  let failure: WireFailure | undefined;
  try {
    const reading = read();
    // After an abort, how the reading ends does not matter.
    reading.catch(() => {});
    await Promise.race([reading, stop.promise]);
  } catch (error) {
    failure = failureOf(error as Error);
  }
  clearLimit();
  for (const timer of timers) clearTimeout(timer);
  request.signal?.removeEventListener("abort", onAbort);
  const { ended, trailers } = answer?.ending() ?? { ended: false, trailers: [] };
  socket.destroy();
  const whole = ended && aborted === undefined && failure === undefined;
  return {
    response:
      answer === undefined
        ? undefined
        : { status: answer.status, headers: answer.headers, trailers, chunks: body.chunks(), ended: whole },
    failure: whole ? undefined : (aborted ?? failure ?? { kind: "reset", message: "the response was cut short" }),
    durationMs: performance.now() - started,
  };
}
