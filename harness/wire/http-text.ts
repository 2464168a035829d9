import type { Header } from "./exchange.ts";

/** An HTTP/1.1 request as bytes, with Host and Content-Length added. `headers` are sent as given. */
export function httpText(url: string, method: string, headers: readonly Header[], body: Uint8Array): Uint8Array {
  const { host, pathname, search } = new URL(url);
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.byteLength}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

/** So much of a head is read at most: one that is longer tells no length. */
const maxHead = 64 * 1024;

/** How many bytes of body a head announces; "chunked" where the last chunk tells; undefined where only the end of the connection does. */
function bodyLength(head: string): number | "chunked" | undefined {
  if (/^transfer-encoding:.*\bchunked/im.test(head)) return "chunked";
  const [, length] = /^content-length:[ \t]*(\d+)/im.exec(head) ?? [];
  return length === undefined ? undefined : Number(length);
}

const lastChunk = "\r\n0\r\n\r\n";

/** Reads an HTTP/1.1 response piece by piece: says of each whether the response is whole with it, as far as its head tells. */
export function createReplyEnd(): (piece: Uint8Array) => boolean {
  let head = "";
  let body: { readonly length: number | "chunked" | undefined } | undefined;
  let size = 0;
  let tail = "";
  return (piece) => {
    let rest = piece;
    if (body === undefined) {
      const before = head.length;
      head += Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
      // The blank line may stand across two pieces.
      const end = head.indexOf("\r\n\r\n", Math.max(0, before - 3));
      if (end === -1 && head.length <= maxHead) return false;
      body = { length: end === -1 ? undefined : bodyLength(head.slice(0, end)) };
      // The line end before the last chunk may be that of the head.
      tail = "\r\n";
      rest = piece.subarray(end + 4 - before);
    }
    size += rest.byteLength;
    tail = (tail + Buffer.from(rest.subarray(-lastChunk.length)).toString("latin1")).slice(-lastChunk.length);
    return body.length === "chunked" ? tail === lastChunk : body.length !== undefined && size >= body.length;
  };
}
