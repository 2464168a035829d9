import { constants } from "node:http2";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { maxDecodedBytes } from "./coding.ts";
import { sendOnDedicatedConnection } from "./dedicated.ts";
import { encodeEnvelope } from "./envelope.ts";
import { bodyOf } from "./exchange.ts";
import type { WireLimits, WireRequest } from "./request.ts";
import { serveHttp1, serveHttp2, testCertificate } from "./server.testing.ts";

const limits: WireLimits = { connectMs: 500, replyMs: 300, maxBodyBytes: 1000, concurrency: 1 };
const send = (request: Omit<WireRequest, "headers">, headers: WireRequest["headers"] = []) =>
  sendOnDedicatedConnection({ ...request, headers }, headers, limits, { ca: testCertificate.cert }, { totalMs: 0 });
const textOf = ({ response }: Awaited<ReturnType<typeof send>>) =>
  response === undefined ? undefined : Buffer.from(bodyOf(response)).toString();

const internalError = constants.NGHTTP2_INTERNAL_ERROR;

const servers = [
  ["HTTP/1.1", serveHttp1],
  ["HTTP/2", serveHttp2],
] as unknown as readonly [string, typeof serveHttp1][];

test.each(servers)(
  "over %s a request in pieces arrives whole, and its response comes back whole",
  async (version, serve) => {
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      response.writeHead(201, { "x-length": request.headers["content-length"] ?? "none", "x-b": "2", "x-c": "3" });
      response.addTrailers({ "x-end": "yes" });
      response.end(`${request.method} ${request.url} ${request.headers["x-a"]} ${body}`);
    });
    const collected = await send({ url: `${url}/path?a=b`, body: Buffer.from("hello"), pieces: 3 }, [["x-a", "1"]]);
    expect(collected.failure).toBeUndefined();
    expect(textOf(collected)).toBe("POST /path?a=b 1 hello");
    expect(collected.response).toMatchObject({ status: 201, ended: true });
    expect(collected.response?.headers.filter(([name]) => name.startsWith("x-"))).toEqual([
      ["x-length", "none"],
      ["x-b", "2"],
      ["x-c", "3"],
    ]);
    expect(collected.durationMs).toBeLessThan(2000);
    expect(collected.response?.headers.some(([name]) => name.startsWith(":"))).toBe(false);
    if (version === "HTTP/2") expect(collected.response?.trailers).toEqual([["x-end", "yes"]]);
  },
);

test.each(servers)("over %s nothing is read before the pace allows it", async (_version, serve) => {
  const url = await serve((_request, response) => void response.end("x".repeat(500)));
  const readAfter = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const started = performance.now();
  const collecting = send({
    url,
    pace: { readAfter: readAfter.promise, lingerMs: 0 },
    onChunk: () => {
      firstAt ??= performance.now() - started;
      return true;
    },
  });
  setTimeout(readAfter.resolve, 60);
  expect(textOf(await collecting)).toHaveLength(500);
  expect(firstAt).toBeGreaterThan(50);
});

test.each(servers)("over %s reading ends soon after enough was seen", async (_version, serve) => {
  const url = await serve((_request, response) => void response.write("one"));
  const pace = { readAfter: Promise.resolve(), lingerMs: 20 };
  const { failure, response } = await send({ url, pace, onChunk: () => false });
  expect(failure).toEqual({ kind: "abandoned", message: "seen enough" });
  expect(response?.ended).toBe(false);
});

test.each(servers)("over %s a failure is told, in bounded time", async (_version, serve) => {
  const started = performance.now();
  const silent = await serve(() => {});
  expect((await send({ url: silent })).failure?.kind).toBe("timeout");
  const endless = await serve((_request, response) => void response.write("x".repeat(2000)));
  expect((await send({ url: endless })).failure?.kind).toBe("too-large");
  const cut = await serve((_request, response) => {
    response.writeHead(200);
    response.write("x");
    // Over HTTP/2 a stream is reset; destroying it would end it as if it were complete.
    const { stream } = response as { stream?: { close(code: number): void } };
    setTimeout(() => (stream === undefined ? response.destroy() : stream.close(internalError)), 20);
  });
  const collected = await send({ url: cut });
  expect(collected.failure?.kind).toBe("reset");
  expect(collected.response).toMatchObject({ status: 200, ended: false });
  expect(collected.response?.chunks.every(({ at }) => at < 1000)).toBe(true);
  expect(performance.now() - started).toBeLessThan(3000);
});

test.each(servers)("over %s a stream is read no further than an envelope that is a bomb", async (_version, serve) => {
  const packed = encodeEnvelope(1, gzipSync(new Uint8Array(2 * maxDecodedBytes)));
  const coding = { "connect-content-encoding": "gzip" };
  const url = await serve((_request, response) => void response.writeHead(200, coding).write(packed));
  const sent = (lasting: boolean) =>
    sendOnDedicatedConnection(
      { url, headers: [], lasting },
      [],
      { ...limits, maxBodyBytes: 2 ** 20 },
      { ca: testCertificate.cert },
      { totalMs: 0 },
    );
  const { failure, response } = await sent(true);
  expect(failure).toMatchObject({ kind: "too-large", message: expect.stringMatching(/an envelope .* unpacked/) });
  expect(response === undefined ? 0 : bodyOf(response).byteLength).toBe(packed.byteLength);
  expect((await sent(false)).failure?.kind).toBe("timeout");
});

test("a closed port is a failure to connect, an aborted request is abandoned", async () => {
  expect((await send({ url: "http://127.0.0.1:1" })).failure?.kind).toBe("connect");
  const url = await serveHttp1(() => {});
  expect((await send({ url, signal: AbortSignal.abort() })).failure?.kind).toBe("abandoned");
  expect((await send({ url, signal: AbortSignal.timeout(20) })).failure?.kind).toBe("abandoned");
});
