import type { Socket } from "node:net";
import { createServer } from "node:net";
import type { Hosted } from "./hostile.ts";
import { hostedAt, listen } from "./listening.ts";

/** Answers one HTTP/1.1 request on a bare connection, in bytes of any kind. `head` is its line and headers. */
export type RawAnswer = (socket: Socket, head: string) => void;

const blankLine = "\r\n\r\n";

/** Where a request's body ends, or -1 while it has not come. */
function endOfBody(bytes: Buffer, head: string, start: number): number {
  if (/^transfer-encoding:/im.test(head)) {
    const last = bytes.indexOf(`0${blankLine}`, start);
    return last === -1 ? -1 : last + 1 + blankLine.length;
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < start + length ? -1 : start + length;
}

/** Calls `answer` for each whole request that comes. */
export function onRequests(socket: Socket, answer: RawAnswer): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.on("data", (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    for (;;) {
      const end = bytes.indexOf(blankLine);
      if (end === -1) return;
      const head = bytes.toString("latin1", 0, end);
      const next = endOfBody(bytes, head, end + blankLine.length);
      if (next === -1) return;
      bytes = bytes.subarray(next);
      if (socket.writable) answer(socket, head);
    }
  });
}

/** A target that writes these bytes, or does this, for every request. */
export async function hostRaw(answer: RawAnswer | string | readonly string[]): Promise<Hosted> {
  const bytes = typeof answer === "function" ? undefined : Buffer.from([answer].flat().join("\r\n"), "latin1");
  const say: RawAnswer = typeof answer === "function" ? answer : (socket) => socket.write(bytes ?? "");
  return hostedAt(await listen(createServer((socket) => onRequests(socket, say))));
}

/** A head of a success, with these lines after its type. */
export function okHead(...lines: readonly string[]): string {
  return ["HTTP/1.1 200 OK", "content-type: application/json", ...lines, "", ""].join("\r\n");
}
