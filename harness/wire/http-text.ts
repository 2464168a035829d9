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
