import type { Socket } from "node:net";
import { flags, frame, frames, hostFrames, okFields, setting } from "./h2-frames.ts";
import { deadOrUnusable, inPhase, unreachable, unusable } from "./hostile.ts";
import { drip, flood } from "./listening.ts";

const { data, headers, reset, settings, ping, goAway, continuation } = frames;
const { endHeaders, endStream } = flags;
const initialWindow = 4;
const [noError, internalError, refusedStream, enhanceYourCalm] = [0, 2, 7, 11];

/** Four octets, as codes and ids of streams are written. */
const word = (value: number) => [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
const resetStream = (code: number) => (socket: Socket, stream: number) =>
  void socket.write(frame(reset, 0, stream, word(code)));
const beginAnswer = (socket: Socket, stream: number) => void socket.write(frame(headers, endHeaders, stream, okFields));

/** A header block that names one entry of 3 KB ten thousand times: 30 MB in 13 KB (RFC 7541 §6.2.1, §6.1). */
function hpackBomb(): Buffer {
  const length = 3000;
  // An integer of more than seven bits goes on in octets of seven bits each.
  const value = Buffer.concat([
    Buffer.from([0x7f, ((length - 127) & 0x7f) | 0x80, (length - 127) >> 7]),
    Buffer.alloc(length, "a"),
  ]);
  const entry = Buffer.concat([Buffer.from([0x40, 3]), Buffer.from("x-a"), value]);
  return Buffer.concat([Buffer.from([0x88]), entry, Buffer.alloc(10_000, 0xbe)]);
}

/** Connections that HTTP/2 permits, and that serve nobody. */
export const http2Targets = inPhase(
  "http2",
  [
    {
      name: "garbage",
      says: "agrees on HTTP/2 and sends garbage",
      start: () => hostFrames({ opens: (socket) => void socket.write(Buffer.alloc(4096, 0xa5)) }),
      expect: unreachable,
    },
    {
      name: "mute",
      says: "agrees on HTTP/2 and says nothing",
      start: () => hostFrames({ opens: () => {} }),
      expect: unreachable,
    },
    {
      name: "goes-away",
      says: "answers every request with GOAWAY",
      start: () =>
        hostFrames({ asked: (socket) => void socket.end(frame(goAway, 0, 0, [...word(0), ...word(noError)])) }),
      expect: unreachable,
    },
    {
      name: "calms",
      says: "answers every request with GOAWAY for asking too much",
      start: () =>
        hostFrames({ asked: (socket) => void socket.end(frame(goAway, 0, 0, [...word(1), ...word(enhanceYourCalm)])) }),
      expect: unreachable,
    },
    {
      name: "resets-streams",
      says: "resets every stream",
      start: () => hostFrames({ asked: resetStream(internalError) }),
      expect: unreachable,
    },
    {
      name: "refuses-streams",
      says: "refuses every stream, which says it may be asked again",
      start: () => hostFrames({ asked: resetStream(refusedStream) }),
      expect: unreachable,
    },
    {
      name: "no-window",
      says: "gives no window to send a body in",
      start: () =>
        hostFrames({ opens: (socket) => void socket.write(frame(settings, 0, 0, setting(initialWindow, 0))) }),
      expect: unreachable,
    },
    {
      name: "settings-flood",
      says: "sends settings without end",
      start: () =>
        hostFrames({
          opens: (socket) =>
            flood(socket, Buffer.concat(Array(500).fill(frame(settings, 0, 0, setting(initialWindow, 65535))))),
        }),
      expect: unreachable,
    },
    {
      name: "ping-flood",
      says: "sends pings without end",
      start: () =>
        hostFrames({
          opens: (socket) => {
            socket.write(frame(settings, 0, 0));
            flood(socket, Buffer.concat(Array(500).fill(frame(ping, 0, 0, new Uint8Array(8)))));
          },
        }),
      expect: unreachable,
    },
    {
      name: "reset-flood",
      says: "resets streams again and again, without end",
      start: () =>
        hostFrames({
          asked: (socket, stream) =>
            flood(socket, Buffer.concat(Array(500).fill(frame(reset, 0, stream, word(internalError))))),
        }),
      expect: unreachable,
    },
    {
      name: "continuation-flood",
      says: "continues a header block without end",
      start: () =>
        hostFrames({
          asked: (socket, stream) => {
            socket.write(frame(headers, 0, stream, okFields));
            flood(socket, frame(continuation, 0, stream, Buffer.alloc(8192, 0x88)));
          },
        }),
      expect: unreachable,
    },
    {
      name: "hpack-bomb",
      says: "sends 30 MB of headers in 13 KB",
      start: () =>
        hostFrames({
          asked: (socket, stream) => void socket.write(frame(headers, endHeaders | endStream, stream, hpackBomb())),
        }),
      expect: deadOrUnusable,
    },
    {
      name: "silence-after-headers",
      says: "sends the headers of a success, then nothing",
      start: () => hostFrames({ asked: beginAnswer }),
      expect: deadOrUnusable,
    },
    {
      name: "empty-frames",
      says: "sends empty pieces of a body without end",
      start: () =>
        hostFrames({
          asked: (socket, stream) => {
            beginAnswer(socket, stream);
            drip(socket, Buffer.concat(Array(50).fill(frame(data, 0, stream))), 20);
          },
        }),
      expect: deadOrUnusable,
    },
    {
      name: "one-byte-frames",
      says: "sends bodies in pieces of one byte, as far as it is let",
      start: () =>
        hostFrames({
          asked: (socket, stream) => {
            beginAnswer(socket, stream);
            socket.write(Buffer.concat(Array(1500).fill(frame(data, 0, stream, [0x20]))));
          },
        }),
      expect: deadOrUnusable,
    },
    {
      name: "past-the-window",
      says: "sends more than it is let",
      start: () =>
        hostFrames({
          asked: (socket, stream) => {
            beginAnswer(socket, stream);
            flood(socket, frame(data, 0, stream, Buffer.alloc(16_000, " ")), 64 * 2 ** 20);
          },
        }),
      expect: deadOrUnusable,
    },
    {
      name: "wrong-stream",
      says: "answers on streams that nobody opened",
      start: () => hostFrames({ asked: (socket, stream) => beginAnswer(socket, stream + 1000) }),
      expect: deadOrUnusable,
    },
    {
      name: "serves-refusals",
      says: "refuses everything over HTTP/2, as HTTP lets it",
      start: () =>
        hostFrames({
          asked: (socket, stream) => void socket.write(frame(headers, endHeaders | endStream, stream, [0x8d])),
        }),
      expect: unusable,
    },
  ],
  [
    "mute",
    "calms",
    "refuses-streams",
    "ping-flood",
    "reset-flood",
    "wrong-stream",
    "serves-refusals",
    "past-the-window",
    "empty-frames",
    "goes-away",
    "resets-streams",
    "settings-flood",
    "continuation-flood",
    "one-byte-frames",
  ],
);
