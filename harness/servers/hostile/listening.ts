import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import type { Writable } from "node:stream";
import type { TargetFile } from "../../target/schema.ts";
import type { Hosted } from "./hostile.ts";
import { fileFor } from "./target-file.ts";

/** A server on a free port of this machine alone. */
export interface Listening {
  readonly origin: string;
  /** Ends every connection, and the listening. */
  close(): Promise<void>;
}

/** Has a server listen. Errors of its connections are what hostile servers are about, and nobody's. */
export async function listen(server: Server, scheme: "http" | "https" = "http"): Promise<Listening> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** A target at an address, with a target file that goes with any server. */
export function hostedAt(
  { origin, close }: Listening,
  change: (file: TargetFile) => TargetFile = (file) => file,
): Hosted {
  return { file: change(fileFor(origin)), close };
}

/** A target that does this with every connection. */
export async function hostSockets(talk: (socket: Socket) => void): Promise<Hosted> {
  return hostedAt(await listen(createSocketServer(talk)));
}

/** Answers one HTTP/1.1 request, whose body has been read. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** An HTTP/1.1 server that gives every request this answer. */
export function createHttp(answer: Answer): Server {
  return createServer((request, response) => {
    response.on("error", () => {});
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => answer(request, response, Buffer.concat(pieces)));
  });
}

/** A target that gives every HTTP/1.1 request this answer. */
export async function hostHttp(answer: Answer): Promise<Hosted> {
  return hostedAt(await listen(createHttp(answer)));
}

/** Bytes a flood ends after: more than any client should ever take. */
const maxFlood = 128 * 2 ** 20;

/** Writes a piece again and again, as quickly as it is taken, until so much was written or nobody takes it. */
export function flood(to: Writable, piece: Uint8Array | string, maxBytes = maxFlood): void {
  let written = 0;
  to.on("error", () => {});
  const more = (): void => {
    while (written < maxBytes && to.writable) {
      written += piece.length;
      if (!to.write(piece)) return void to.once("drain", more);
    }
    to.end();
  };
  more();
}

/** How long a drip goes on at most: longer than any run may. */
const maxDripMs = 700_000;

/** Writes a piece now and then, until the other side leaves. */
export function drip(to: Writable, piece: Uint8Array | string, everyMs: number): void {
  const timer = setInterval(() => to.write(piece), everyMs);
  const stop = () => clearInterval(timer);
  const last = setTimeout(() => to.destroy(), maxDripMs);
  to.on("error", stop);
  to.once("close", () => {
    stop();
    clearTimeout(last);
  });
}
