import { request as requestHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { TLSSocket } from "node:tls";
import { type Header, headersIn } from "./exchange.ts";
import { maxHeaderBytes, type WireRequest } from "./request.ts";

/** HTTP/2 window of a slow reader once it reads, in bytes: less than most messages are long. */
const windowBytes = 256;

/** A response that has begun, over either version of HTTP: its headers are here, its body can be read. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Readable;
  /** Opens the flow-control window of HTTP/2, so that the server can send the body. */
  openWindow(): void;
  /** To be called once the body is over: whether it was complete, and its trailers. */
  ending(): { readonly ended: boolean; readonly trailers: readonly Header[] };
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

function requestHttp1(socket: Socket, url: URL, request: WireRequest, headers: readonly Header[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = String(request.body?.byteLength ?? 0);
    const sent = requestHttp(
      {
        createConnection: () => socket,
        maxHeaderSize: maxHeaderBytes,
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
        // It may fail before it is read; the reader of the body gets the error again.
        response.on("error", () => {});
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs(response.rawHeaders),
          body: response,
          // Until it is read, Node takes no more off the connection than its own buffers hold.
          openWindow: () => {},
          ending: () => ({ ended: response.complete, trailers: pairs(response.rawTrailers) }),
        });
      },
    );
    sent.once("error", reject);
    write(sent, request);
  });
}

/** The headers of an HTTP/2 response without pseudo-headers such as `:status`. */
function plainHeaders(received: IncomingHttpHeaders): Header[] {
  return headersIn(received).filter(([name]) => !name.startsWith(":"));
}

function requestHttp2(
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
    // They may fail later, too; the reader of the body gets the error then.
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
        openWindow: () => {
          if (request.pace !== undefined) session.settings({ initialWindowSize: windowBytes });
        },
        ending: () => ({ ended: stream.rstCode === 0, trailers }),
      });
    });
    write(stream, request);
  });
}

/** Sends a request on a connected socket, over the HTTP version negotiated there. Rejects where no response begins. */
export async function requestOn(
  socket: Socket,
  url: URL,
  request: WireRequest,
  headers: readonly Header[],
): Promise<Answer> {
  if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== "h2")
    return requestHttp1(socket, url, request, headers);
  // The window of a slow reader is 1 byte until it is opened, so that a server that goes on writing meets back-pressure.
  // With a window of 0 some servers hold even the headers back.
  const settings = { enablePush: false, ...(request.pace !== undefined && { initialWindowSize: 1 }) };
  const session = connectHttp2(url.origin, { createConnection: () => socket, settings });
  return requestHttp2(session, url, request, headers);
}
