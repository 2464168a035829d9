import { createServer } from "node:net";
import { inPhase, unreachable } from "./hostile.ts";
import { drip, flood, hostedAt, hostSockets, listen } from "./listening.ts";

/** Nobody there, and those who are say nothing an HTTP client could read. */
export const tcpTargets = inPhase(
  "tcp",
  [
    {
      name: "refuses",
      says: "refuses connections",
      start: async () => {
        const gone = await listen(createServer());
        await gone.close();
        return hostedAt({ ...gone, close: async () => {} });
      },
      expect: unreachable,
    },
    {
      name: "mute",
      says: "accepts connections, reads, and says nothing",
      start: () => hostSockets((socket) => socket.resume()),
      expect: unreachable,
    },
    {
      name: "deaf",
      says: "accepts connections, and neither reads nor writes",
      start: () => hostSockets((socket) => socket.pause()),
      expect: unreachable,
    },
    {
      name: "resets",
      says: "resets every connection",
      start: () => hostSockets((socket) => socket.resetAndDestroy()),
      expect: unreachable,
    },
    {
      name: "resets-when-asked",
      says: "resets a connection once a request comes",
      start: () => hostSockets((socket) => socket.once("data", () => socket.resetAndDestroy())),
      expect: unreachable,
    },
    {
      name: "half-close",
      says: "ends its side of a connection at once, and goes on reading",
      start: () => hostSockets((socket) => socket.end().resume()),
      expect: unreachable,
    },
    {
      name: "one-byte",
      says: "says one byte, then nothing",
      start: () => hostSockets((socket) => socket.resume().write("H")),
      expect: unreachable,
    },
    {
      name: "slow-drip",
      says: "says its status line a byte a second",
      start: () =>
        hostSockets((socket) => {
          const line = [..."HTTP/1.1 200 OK\r\nx-a: ".padEnd(600, "a")];
          const timer = setInterval(() => socket.write(line.shift() ?? "a"), 1000);
          socket.resume().once("close", () => clearInterval(timer));
        }),
      expect: unreachable,
    },
    {
      name: "endless-zeros",
      says: "sends zero bytes without end",
      start: () => hostSockets((socket) => flood(socket.resume(), new Uint8Array(64 * 1024))),
      expect: unreachable,
    },
    {
      name: "endless-lines",
      says: "sends empty lines now and then, and nothing else",
      start: () => hostSockets((socket) => drip(socket.resume(), "\r\n", 50)),
      expect: unreachable,
    },
  ],
  ["resets-when-asked", "one-byte", "endless-lines", "deaf", "refuses", "endless-zeros"],
);
