import { request as requestHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { TLSSocket } from "node:tls";
import type { TlsTrust, WireLimits, WireRequest } from "./client.ts";
import { type Chunk, type Header, headersIn, type ReceivedResponse, type WireFailure } from "./exchange.ts";
import { failureOf, limitOf } from "./failure.ts";
import { openSocket } from "./socket.ts";

/** How a slow reader reads. */
export interface Pace {
  /** Nothing is read before this settles; over HTTP/2 the server may not even send before. */
  readonly held: Promise<unknown>;
  /** Where no more is wanted, how long the end is waited for all the same, in milliseconds. */
  readonly lingerMs: number;
}

/** What came of a request: what `collect` of the usual client gives, too. */
export interface Collected {
  readonly response: ReceivedResponse | undefined;
  readonly failure: WireFailure | undefined;
  readonly durationMs: number;
}

/** Over HTTP/2, bytes of each stream the server may send before they are read: less than most messages are long. */
const windowBytes = 256;

/** The server's side of one request, over either version of HTTP. */
interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Readable;
  /** Lets the server send. */
  release(): void;
  /** Once the body is over: whether it ended as HTTP says it should, and its trailers. */
  ending(): { readonly ended: boolean; readonly trailers: readonly Header[] };
}

/** A connection that can be written to. Rejects where there is none. */
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

function pairs(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, index): Header => [raw[2 * index] ?? "", raw[2 * index + 1] ?? ""]);
}

/** Headers by name, as Node takes them. */
function byName(headers: readonly Header[]): Record<string, string | string[]> {
  const groups = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...groups].map(([name, some]) => {
      const values = some.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** The body, in as many pieces as it is to be sent in. */
function piecesOf({ body = new Uint8Array(), pieces = 1 }: WireRequest): readonly Uint8Array[] {
  const size = Math.max(1, Math.ceil(body.byteLength / pieces));
  return Array.from({ length: Math.ceil(body.byteLength / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

function write(stream: Writable, request: WireRequest): void {
  for (const piece of piecesOf(request)) stream.write(piece);
  stream.end();
}

function askHttp1(socket: Socket, url: URL, request: WireRequest, headers: readonly Header[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = String(request.body?.byteLength ?? 0);
    const sent = requestHttp(
      {
        createConnection: () => socket,
        host: url.hostname,
        path: url.pathname + url.search,
        method: request.method ?? "POST",
        headers: {
          host: url.host,
          ...(request.pieces === undefined && { "content-length": length }),
          ...byName(headers),
        },
      },
      (response) => {
        // It may fail before it is read; who reads it is told.
        response.on("error", () => {});
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs(response.rawHeaders),
          body: response,
          // Until it is read, Node takes no more off the connection than its own buffers hold.
          release: () => {},
          ending: () => ({ ended: response.complete, trailers: pairs(response.rawTrailers) }),
        });
      },
    );
    sent.once("error", reject);
    write(sent, request);
  });
}

/** The headers of an HTTP/2 frame, without those that stand for the first line of HTTP/1.1. */
function plainHeaders(received: IncomingHttpHeaders): Header[] {
  return headersIn(received).filter(([name]) => !name.startsWith(":"));
}

function askHttp2(
  session: ClientHttp2Session,
  url: URL,
  request: WireRequest,
  headers: readonly Header[],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": request.method ?? "POST",
      ":path": url.pathname + url.search,
      ...byName(headers),
    });
    let trailers: readonly Header[] = [];
    // They may fail later, too; who reads is told then.
    session.on("error", reject);
    stream.on("error", reject);
    stream.once("trailers", (received) => {
      trailers = plainHeaders(received);
    });
    stream.once("response", (received) => {
      resolve({
        status: Number(received[":status"] ?? 0),
        headers: plainHeaders(received),
        body: stream,
        release: () => {
          if (request.pace !== undefined) session.settings({ initialWindowSize: windowBytes });
        },
        ending: () => ({ ended: stream.rstCode === 0, trailers }),
      });
    });
    write(stream, request);
  });
}

/** Sends a request on a connection of its own, in the version of HTTP that the server chooses there. */
async function ask(socket: Socket, url: URL, request: WireRequest, headers: readonly Header[]): Promise<Answer> {
  if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== "h2") return askHttp1(socket, url, request, headers);
  // To a slow reader next to nothing of a body may be sent before the window is opened: that is what meets a server that
  // writes on. With no window at all some servers hold even the headers back.
  const settings = { enablePush: false, ...(request.pace !== undefined && { initialWindowSize: 1 }) };
  const session = connectHttp2(url.origin, { createConnection: () => socket, settings });
  return askHttp2(session, url, request, headers);
}

/**
 * Sends one request on a connection of its own: in pieces, or read at the pace of a slow reader. Never throws: whatever
 * goes wrong is the failure.
 *
 * @param headers all there are to send, credential included
 */
export async function sendOnDedicatedConnection(
  request: WireRequest,
  headers: readonly Header[],
  limits: WireLimits,
  tls: TlsTrust,
): Promise<Collected> {
  const started = performance.now();
  const { pace } = request;
  const limit = limitOf(request, limits.replyMs);
  const url = new URL(request.url);
  const socket = openSocket(url, tls, ["h2", "http/1.1"]);
  const chunks: Chunk[] = [];
  let answer: Answer | undefined;
  let given: WireFailure | undefined;
  const give = (failure: WireFailure) => {
    given ??= failure;
    answer?.body.destroy();
    socket.destroy();
    stop.resolve();
  };
  const stop = Promise.withResolvers<void>();
  const onAbort = () => give({ kind: "abandoned", message: "given up by the case" });
  const timers = [setTimeout(() => give(limit.failure), limit.ms)];
  request.signal?.addEventListener("abort", onAbort);
  if (request.signal?.aborted === true) onAbort();

  const read = async (): Promise<void> => {
    answer = await ask(await connected(socket, limits.connectMs), url, request, headers);
    await pace?.held;
    answer.release();
    let size = 0;
    let enough = false;
    for await (const bytes of answer.body as AsyncIterable<Uint8Array>) {
      const chunk = { at: performance.now() - started, bytes: new Uint8Array(bytes) };
      chunks.push(chunk);
      size += bytes.byteLength;
      if (size > limits.maxBodyBytes)
        give({ kind: "too-large", message: `the body is longer than ${limits.maxBodyBytes} bytes` });
      else if (!enough && answer.status === 200 && request.onChunk?.(chunk, chunks) === false) {
        enough = true;
        timers.push(setTimeout(() => give({ kind: "abandoned", message: "seen enough" }), pace?.lingerMs ?? 0));
      }
    }
  };
  let failure: WireFailure | undefined;
  try {
    const reading = read();
    // Once it is given up, how the reading ends is of no interest.
    reading.catch(() => {});
    await Promise.race([reading, stop.promise]);
  } catch (error) {
    failure = failureOf(error as Error);
  }
  for (const timer of timers) clearTimeout(timer);
  request.signal?.removeEventListener("abort", onAbort);
  const { ended, trailers } = answer?.ending() ?? { ended: false, trailers: [] };
  socket.destroy();
  const whole = ended && given === undefined && failure === undefined;
  return {
    response:
      answer === undefined
        ? undefined
        : { status: answer.status, headers: answer.headers, trailers, chunks, ended: whole },
    failure: whole ? undefined : (given ?? failure ?? { kind: "reset", message: "the response was cut short" }),
    durationMs: performance.now() - started,
  };
}
