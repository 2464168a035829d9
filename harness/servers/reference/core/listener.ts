import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Serves one HTTP request; `origin` is the listener's own scheme, host and port. */
export type Serve = (request: IncomingMessage, response: ServerResponse, origin: string) => void;

/** Takes over the connection of a request that asks for another protocol. */
export type Upgrade = (request: IncomingMessage, connection: Duplex, origin: string) => void;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM texts. With them HTTPS is served, HTTP/2 and HTTP/1.1 by ALPN; without, plain HTTP/1.1. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A listening socket. */
export interface Listener {
  readonly origin: string;
  /** Ends every connection, and the listening. */
  close(): Promise<void>;
}

/** Starts to listen. Rejects when the address cannot be had. */
export async function listen(options: ListenOptions, serve: Serve, upgrade?: Upgrade): Promise<Listener> {
  let origin = "";
  const handle = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) =>
    // Node's HTTP/2 compatibility API offers what this server uses of the HTTP/1.1 one.
    serve(request as IncomingMessage, response as unknown as ServerResponse, origin);
  const server: Server | Http2SecureServer = options.tls
    ? createSecureServer({ ...options.tls, allowHTTP1: true }, handle)
    : createServer(handle);

  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  if (upgrade !== undefined) {
    server.on("upgrade", (request: IncomingMessage, connection: Duplex) => upgrade(request, connection, origin));
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  origin = `${options.tls ? "https" : "http"}://${host}:${port}`;
  return {
    origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
