import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { BetaWorld, VoiceTicket } from "./world.ts";

/** Below the websocket URL's origin. */
const voicePath = "/voice/";

/** Where a session's voice connection is opened; the ticket is not part of it. */
export function websocketUrl(origin: string, sessionId: string): string {
  return `${origin.replace(/^http/, "ws")}${voicePath}${sessionId}`;
}

/** Issues a ticket for one connection to a session. */
export function issueTicket(world: BetaWorld, ticket: VoiceTicket): string {
  const text = `beta_vt_${world.random.token(40)}`;
  world.voiceTickets.set(text, ticket);
  return text;
}

/** Takes a ticket out of use. Undefined for one that is unknown, used or too old. */
export function takeTicket(world: BetaWorld, text: string): VoiceTicket | undefined {
  const ticket = world.voiceTickets.get(text);
  world.voiceTickets.delete(text);
  return ticket !== undefined && ticket.until > world.clock.now() ? ticket : undefined;
}

/** The ticket a client presents: as `?ticket=`, or as a Bearer credential. */
function presented(request: IncomingMessage, url: URL): string {
  const bearer = /^bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return url.searchParams.get("ticket") ?? bearer ?? "";
}

/** The `Sec-WebSocket-Accept` that answers a key (RFC 6455 §4.2.2). */
export function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

const opcodes = { close: 8, ping: 9, pong: 10 } as const;

/** An unmasked control frame (RFC 6455 §5.5). */
function controlFrame(opcode: number, payload: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0x80 | opcode, payload.length), payload]);
}

/** The first whole frame in `bytes`, unmasked, and what follows it (RFC 6455 §5.2). */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = 2 + lengthBytes;
  if (bytes.length < maskAt + 4) return undefined;
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const start = maskAt + 4;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(maskAt, start);
  const payload = Buffer.from(
    bytes.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  );
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, rest: bytes.subarray(start + length) };
}

/** Keeps an accepted connection: answers pings and the closing handshake, and hears the rest in silence. */
function listen(connection: Duplex): void {
  let received: Buffer = Buffer.alloc(0);
  connection.on("data", (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    for (let frame = readFrame(received); frame !== undefined; frame = readFrame(received)) {
      received = frame.rest;
      if (frame.opcode === opcodes.ping) connection.write(controlFrame(opcodes.pong, frame.payload));
      if (frame.opcode === opcodes.close) connection.end(controlFrame(opcodes.close, frame.payload.subarray(0, 2)));
    }
  });
}

/** Why a connection is not opened, as an HTTP status; undefined where it is. A ticket that was presented is used up. */
function refusalOf(world: BetaWorld, request: IncomingMessage, url: URL, key: string): string | undefined {
  if (!url.pathname.startsWith(voicePath)) return "404 Not Found";
  const isWebsocket = request.headers.upgrade?.toLowerCase() === "websocket";
  if (!isWebsocket || Buffer.from(key, "base64").length !== 16) return "400 Bad Request";
  const ticket = world.parts.takeTicket(world, presented(request, url));
  const good = ticket !== undefined && url.pathname === voicePath + ticket.sessionId;
  return good ? undefined : "401 Unauthorized";
}

/** Opens a voice connection for a good ticket, once; what is spoken on it is not part of the contract. */
export function upgradeToVoice(world: BetaWorld, request: IncomingMessage, connection: Duplex, origin: string): void {
  connection.on("error", () => connection.destroy());
  const key = request.headers["sec-websocket-key"] ?? "";
  const refused = refusalOf(world, request, new URL(request.url ?? "/", origin), key);
  if (refused !== undefined) {
    connection.end(`HTTP/1.1 ${refused}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade";
  connection.write(`${upgrade}\r\nsec-websocket-accept: ${acceptOf(key)}\r\n\r\n`);
  listen(connection);
}
