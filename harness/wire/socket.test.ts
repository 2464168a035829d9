import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp2, testCertificate } from "./server.testing.ts";
import { openSocket, sendBare } from "./socket.ts";

/** A TCP server on loopback until the test is over, and its origin. */
async function serveTcp(listener: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    listener(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

const bytes = Buffer.from("GET / HTTP/9.9\r\n\r\n");
const bare = { bytes, tls: {}, listenMs: 1000, maxBytes: 1000 };

test("bytes are sent as they are, and what comes back until the other side closes is given", async () => {
  const origin = await serveTcp((socket) => socket.once("data", (got: Buffer) => socket.end(`got ${got}`)));
  const { received, ended } = await sendBare({ ...bare, origin });
  expect(Buffer.from(received).toString()).toBe(`got ${bytes}`);
  expect(ended).toBe(true);
});

test("reading ends after so long, or so many bytes", async () => {
  const silent = await serveTcp((socket) => void socket.write("one"));
  const short = await sendBare({ ...bare, origin: silent, listenMs: 60 });
  expect([Buffer.from(short.received).toString(), short.ended]).toEqual(["one", false]);
  const flooding = await serveTcp((socket) => void socket.write("x".repeat(5000)));
  const { received, ended } = await sendBare({ ...bare, origin: flooding, listenMs: 5000 });
  expect(received.byteLength).toBeGreaterThan(1000);
  expect(ended).toBe(false);
});

test("with no time to listen, the connection is closed once the bytes are sent", async () => {
  const got = Promise.withResolvers<string>();
  const origin = await serveTcp((socket) => {
    let text = "";
    socket.on("data", (part) => {
      text += String(part);
    });
    socket.on("close", () => got.resolve(text));
  });
  expect(await sendBare({ ...bare, origin, listenMs: 0 })).toEqual({ received: Buffer.alloc(0), ended: false });
  expect(await got.promise).toBe(String(bytes));
});

test("a closed port ends it", async () => {
  expect(await sendBare({ ...bare, origin: "http://127.0.0.1:1" })).toMatchObject({ ended: true });
});

test("over TLS the protocol is negotiated, and a certificate of nobody's authority is refused unless insecure", async () => {
  const url = new URL(await serveHttp2(() => {}));
  const outcome = (tls: Parameters<typeof openSocket>[1]) =>
    new Promise((resolve) => {
      const socket = openSocket(url, tls, ["h2"]);
      onTestFinished(() => void socket.destroy());
      socket.once("secureConnect", () => resolve("alpnProtocol" in socket && socket.alpnProtocol));
      socket.once("error", (error) => resolve("code" in error && error.code));
    });
  expect(await outcome({ ca: testCertificate.cert })).toBe("h2");
  expect(await outcome({ insecure: true })).toBe("h2");
  expect(await outcome({})).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
});
