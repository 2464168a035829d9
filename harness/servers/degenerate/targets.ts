import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";

/** A server that conforms to nothing, on a loopback port of its own. */
export interface DegenerateServer {
  readonly origin: string;
  /** Ends every connection, and the listening. */
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** Writes again and again until the caller leaves. */
function keepWriting(response: ServerResponse, piece: Uint8Array, everyMs: number): void {
  const timer = setInterval(() => response.write(piece), everyMs);
  response.once("close", () => clearInterval(timer));
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

const page = "<!doctype html><html><title>Welcome</title><p>It works.</p></html>";
const manyKeys = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]));
const hugeText = JSON.stringify(manyKeys);

/** Servers that take HTTP requests, and what they answer to each. */
const answers = {
  hang: () => {},
  "empty object": (_request, response) => json(response, 200, {}),
  null: (_request, response) => json(response, 200, null),
  "no body": (_request, response) => response.writeHead(200, { "content-type": "application/json" }).end(),
  unauthenticated: (_request, response) => json(response, 401, { code: "unauthenticated", message: "who are you?" }),
  "not found": (_request, response) => response.writeHead(404).end(),
  unimplemented: (_request, response) => json(response, 501, { code: "unimplemented" }),
  internal: (_request, response) => json(response, 500, { code: "internal", message: "oh no" }),
  "bare 500": (_request, response) => response.writeHead(500).end(),
  unavailable: (_request, response) => json(response, 503, { code: "unavailable" }),
  throttled: (_request, response) => json(response, 429, { code: "resource_exhausted" }, { "retry-after": "1" }),
  echo: async (request, response) => {
    const body = await readAll(request);
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "application/json" }).end(body);
  },
  page: (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end(page),
  "wrong type": (_request, response) => response.writeHead(200, { "content-type": "text/plain" }).end("{}"),
  half: (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "400" });
    response.write('{"secret":{"id":', () => response.destroy());
  },
  endless: (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    keepWriting(response, Buffer.alloc(64 * 1024, " "), 1);
  },
  drip: (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    keepWriting(response, Buffer.from(" "), 20);
  },
  huge: (_request, response) => response.writeHead(200, { "content-type": "application/json" }).end(hugeText),
  redirect: (request, response) => response.writeHead(302, { location: request.url ?? "/" }).end(),
  "end of stream": (_request, response) =>
    response
      .writeHead(200, { "content-type": "application/connect+json" })
      .end(Buffer.from([2, 0, 0, 0, 2, 0x7b, 0x7d])),
} as const satisfies Readonly<Record<string, Answer>>;

/** Servers that speak no HTTP, or nothing at all. */
const sockets = {
  garbage: (socket: Socket) => socket.end("\u0000\u0001 220 ready when you are\r\n\r\n"),
  reset: (socket: Socket) => socket.resetAndDestroy(),
} as const;

/** `closed port`: nobody listens. The others listen, and answer every request alike. */
export type DegenerateKind = "closed port" | keyof typeof answers | keyof typeof sockets;

export const degenerateKinds = [
  "closed port",
  ...Object.keys(answers),
  ...Object.keys(sockets),
] as readonly DegenerateKind[];

async function listen(server: Server): Promise<DegenerateServer> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Starts a degenerate servers. */
export async function startDegenerate(kind: DegenerateKind): Promise<DegenerateServer> {
  if (kind === "closed port") {
    const target = await listen(createSocketServer());
    await target.close();
    return { origin: target.origin, close: async () => {} };
  }
  if (kind in sockets) return await listen(createSocketServer(sockets[kind as keyof typeof sockets]));
  const answer: Answer = answers[kind as keyof typeof answers];
  const server = createServer((request, response) => {
    response.on("error", () => {});
    if (kind !== "echo") request.resume();
    answer(request, response);
  });
  return await listen(server);
}
