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

/** Whether bytes are a whole HTTP/1.1 response, as far as its head tells how long it is. */
export function isWholeReply(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const head = text.slice(0, end);
  if (/^transfer-encoding:.*\bchunked/im.test(head)) return text.endsWith("\r\n0\r\n\r\n");
  const [, length] = /^content-length:[ \t]*(\d+)/im.exec(head) ?? [];
  return length !== undefined && text.length - end - 4 >= Number(length);
}
