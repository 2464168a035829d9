import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { type CertificateFacts, createCertificate } from "../reference/certificate.ts";
import { type Hosted, inPhase, unreachable } from "./hostile.ts";
import { flood, hostedAt, listen } from "./listening.ts";

/** A target at an https address that does this with every connection. */
async function hostHandshake(talk: (socket: Socket) => void): Promise<Hosted> {
  return hostedAt(await listen(createServer(talk), "https"), (file) => ({ ...file, tls: { insecure: true } }));
}

/** A target with a certificate that its target file trusts by name, or not at all. */
async function hostCertificate(facts: CertificateFacts, trusted: boolean): Promise<Hosted> {
  const certificate = createCertificate(facts);
  const folder = mkdtempSync(join(tmpdir(), "hallmark-hostile-ca-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, certificate.cert);
  const server = createHttpsServer(certificate, (_request, response) => response.writeHead(200).end("{}"));
  server.on("tlsClientError", () => {});
  const hosted = hostedAt(await listen(server, "https"), (file) => (trusted ? { ...file, tls: { caFile } } : file));
  return {
    ...hosted,
    close: async () => {
      await hosted.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const handshakeFailure = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
/** The head of a handshake record of 16 KB, that never comes whole. */
const recordHead = Buffer.from([0x16, 3, 3, 0x40, 0]);

/** No TLS connection ever comes about. */
export const tlsTargets = inPhase(
  "tls",
  [
    {
      name: "mute",
      says: "answers a ClientHello with nothing",
      start: () => hostHandshake((socket) => socket.resume()),
      expect: unreachable,
    },
    {
      name: "garbage",
      says: "answers a ClientHello with garbage",
      start: () => hostHandshake((socket) => socket.once("data", () => socket.end(Buffer.alloc(4096, 0xa5)))),
      expect: unreachable,
    },
    {
      name: "closes-after-hello",
      says: "closes the connection after the ClientHello",
      start: () => hostHandshake((socket) => socket.once("data", () => socket.end())),
      expect: unreachable,
    },
    {
      name: "alert",
      says: "answers a ClientHello with a fatal alert",
      start: () => hostHandshake((socket) => socket.once("data", () => socket.end(handshakeFailure))),
      expect: unreachable,
    },
    {
      name: "drips-a-record",
      says: "begins a handshake record of 16 KB and goes on with a byte a second",
      start: () =>
        hostHandshake((socket) => {
          socket.resume().write(recordHead);
          const timer = setInterval(() => socket.write("\u0002"), 1000);
          socket.once("close", () => clearInterval(timer));
        }),
      expect: unreachable,
    },
    {
      name: "endless-records",
      says: "sends handshake records without end",
      start: () =>
        hostHandshake((socket) => flood(socket.resume(), Buffer.concat([recordHead, Buffer.alloc(0x4000, 0xff)]))),
      expect: unreachable,
    },
    {
      name: "plain-http",
      says: "speaks plain HTTP at its https address",
      start: () => hostHandshake((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n{}"))),
      expect: unreachable,
    },
    {
      name: "self-signed",
      says: "has a certificate that nobody trusts",
      start: () => hostCertificate({}, false),
      expect: unreachable,
    },
    {
      name: "wrong-host",
      says: "has a trusted certificate for another host",
      start: () => hostCertificate({ host: "elsewhere.example", address: [192, 0, 2, 1] }, true),
      expect: unreachable,
    },
    {
      name: "expired",
      says: "has a trusted certificate that has expired",
      start: () => hostCertificate({ until: Date.now() - 60_000 }, true),
      expect: unreachable,
    },
    {
      name: "closes-when-asked",
      says: "makes a TLS connection and closes it once a request comes",
      start: async () => {
        const server = createTlsServer(createCertificate(), (socket) => {
          socket.on("error", () => {});
          socket.once("data", () => socket.destroy());
        });
        return hostedAt(await listen(server, "https"), (file) => ({ ...file, tls: { insecure: true } }));
      },
      expect: unreachable,
    },
  ],
  ["closes-after-hello", "closes-when-asked", "drips-a-record", "expired", "endless-records", "alert", "plain-http"],
);
