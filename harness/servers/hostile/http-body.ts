import { brotliBomb, gzipBomb } from "./bombs.ts";
import { deadOrUnusable, type Hosted, inPhase, unusable } from "./hostile.ts";
import { drip, flood, hostHttp } from "./listening.ts";
import { hostRaw, okHead } from "./raw-http.ts";

const json = { "content-type": "application/json" };
const chunked = okHead("transfer-encoding: chunked");

/** Answers everything with these bytes, in this coding. */
async function hostCoded(coding: string, make: () => Buffer | string): Promise<Hosted> {
  const body = make();
  return await hostHttp((_, response) => response.writeHead(200, { ...json, "content-encoding": coding }).end(body));
}

/** Bodies that do not end, that grow, or are not what the head says. */
export const httpBodyTargets = inPhase(
  "http-body",
  [
    {
      name: "too-short",
      says: "closes the connection long before a body's end",
      start: () => hostRaw((socket) => socket.end(`${okHead("content-length: 400")}{"secret":{`)),
      expect: unusable,
    },
    {
      name: "too-long",
      says: "sends more than the length it gave",
      start: () => hostRaw(`${okHead("content-length: 2")}{}${"and more ".repeat(200)}`),
      expect: deadOrUnusable,
    },
    {
      name: "resets-within",
      says: "resets the connection within a body",
      start: () =>
        hostRaw(
          (socket) => void socket.write(`${okHead("content-length: 400")}{"secret":{`, () => socket.resetAndDestroy()),
        ),
      expect: deadOrUnusable,
    },
    {
      name: "endless",
      says: "sends blanks without end",
      start: () => hostHttp((_, response) => flood(response.writeHead(200, json), Buffer.alloc(64 * 1024, " "))),
      expect: unusable,
    },
    {
      name: "one-byte-chunks",
      says: "sends megabytes in chunks of one byte",
      start: () =>
        hostRaw((socket) => {
          socket.write(chunked);
          flood(socket, Buffer.from("1\r\n \r\n".repeat(8192)));
        }),
      expect: unusable,
    },
    {
      name: "drip",
      says: "sends a blank every half second, without end",
      start: () => hostHttp((_, response) => drip(response.writeHead(200, json), " ", 500)),
      expect: unusable,
    },
    {
      name: "bad-chunk-size",
      says: "gives a chunk a size that is no number",
      start: () => hostRaw(`${chunked}zz\r\n{}\r\n0\r\n\r\n`),
      expect: deadOrUnusable,
    },
    {
      name: "huge-chunk-size",
      says: "gives a chunk a size of 16 exabytes",
      start: () => hostRaw(`${chunked}ffffffffffffffff\r\n{}`),
      expect: deadOrUnusable,
    },
    {
      name: "endless-chunk-extension",
      says: "sends a chunk extension without end",
      start: () =>
        hostRaw((socket) => {
          socket.write(`${chunked}2;a=`);
          flood(socket, "a".repeat(64 * 1024));
        }),
      expect: deadOrUnusable,
    },
    {
      name: "endless-trailers",
      says: "sends trailers without end",
      start: () =>
        hostRaw((socket) => {
          socket.write(`${chunked}2\r\n{}\r\n0\r\n`);
          flood(socket, "x-more: and more\r\n".repeat(500));
        }),
      expect: deadOrUnusable,
    },
    {
      name: "gzip-bomb-256-mb",
      says: "sends 256 MB in 260 KB of gzip",
      start: () => hostCoded("gzip", () => gzipBomb(256)),
      expect: unusable,
    },
    {
      name: "gzip-bomb-1-gb",
      says: "sends 1 GB in 1 MB of gzip",
      start: () => hostCoded("gzip", () => gzipBomb(1024)),
      expect: unusable,
    },
    {
      name: "brotli-bomb-256-mb",
      says: "sends 256 MB in a few hundred bytes of brotli",
      start: () => hostCoded("br", () => brotliBomb(256)),
      expect: unusable,
    },
    {
      name: "gzip-over-gzip",
      says: "names three codings, one over the other",
      start: () => hostCoded("gzip, gzip, br", () => gzipBomb(16)),
      expect: unusable,
    },
    {
      name: "gzip-that-is-none",
      says: "calls gzip what is none",
      start: () => hostCoded("gzip", () => "{}"),
      expect: unusable,
    },
    {
      name: "gzip-cut-short",
      says: "ends gzip in its middle",
      start: () => hostCoded("gzip", () => gzipBomb(16).subarray(0, 5000)),
      expect: unusable,
    },
    {
      name: "unknown-coding",
      says: "names a coding nobody knows",
      start: () => hostCoded("zz\u00e9-9", () => "{}"),
      expect: unusable,
    },
    {
      name: "error-of-3-mb",
      says: "refuses everything with a message of 3 MB",
      start: async () => {
        const body = JSON.stringify({ code: "internal", message: "it failed, ".repeat((3 * 2 ** 20) / 11) });
        return await hostHttp((_, response) => response.writeHead(500, json).end(body));
      },
      expect: unusable,
    },
  ],
  [
    "too-long",
    "resets-within",
    "huge-chunk-size",
    "endless-chunk-extension",
    "endless-trailers",
    "gzip-bomb-1-gb",
    "gzip-over-gzip",
    "gzip-that-is-none",
    "gzip-cut-short",
    "drip",
    "bad-chunk-size",
    "brotli-bomb-256-mb",
    "unknown-coding",
  ],
);
