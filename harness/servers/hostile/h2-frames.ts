import type { Socket } from "node:net";
import { createServer } from "node:tls";
import { createCertificate } from "../reference/certificate.ts";
import type { Hosted } from "./hostile.ts";
import { hostedAt, listen } from "./listening.ts";

/** Frame types and flags of RFC 9113 §6, as far as they are needed here. */
export const frames = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, continuation: 9 } as const;
export const flags = { endStream: 1, endHeaders: 4 } as const;

/** A frame, well-formed in its nine octets of head; the rest is the caller's. */
export function frame(
  type: number,
  flag: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** One setting: its number and value. */
export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** HPACK without its tables (RFC 7541 §6.2.2): a literal field, short enough for one octet of length. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

/** The field block of a success in JSON. */
export const okFields = Buffer.concat([Buffer.from([0x88]), literal("content-type", "application/json")]);

const prefaceLength = 24;

/** Calls back with the stream of each request, once its headers have come. */
function onHeaders(socket: Socket, asked: (stream: number) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  let skipped = false;
  socket.on("data", (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    if (!skipped) {
      if (bytes.length < prefaceLength) return;
      bytes = bytes.subarray(prefaceLength);
      skipped = true;
    }
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const [length, type, stream] = [bytes.readUIntBE(0, 3), bytes[3], bytes.readUInt32BE(5)];
      bytes = bytes.subarray(9 + length);
      if (type === frames.headers && socket.writable) asked(stream);
    }
  });
}

/** What an HTTP/2 server does in bare frames: as a connection opens, and for each request. */
export interface FrameScript {
  readonly opens?: (socket: Socket) => void;
  readonly asked?: (socket: Socket, stream: number) => void;
}

/** A target that takes HTTP/2 by ALPN, and speaks it by a script. */
export async function hostFrames({ opens, asked }: FrameScript): Promise<Hosted> {
  const server = createServer({ ...createCertificate(), ALPNProtocols: ["h2"] }, (socket) => {
    socket.on("error", () => {});
    if (opens === undefined) socket.write(frame(frames.settings, 0, 0));
    else opens(socket);
    onHeaders(socket, (stream) => asked?.(socket, stream));
  });
  server.on("tlsClientError", () => {});
  return hostedAt(await listen(server, "https"), (file) => ({ ...file, tls: { insecure: true } }));
}
