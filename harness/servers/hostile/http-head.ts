import { createServer } from "node:http";
import { deadOrUnusable, type Hosted, inPhase, unreachable, unusable } from "./hostile.ts";
import { drip, flood, hostHttp, listen } from "./listening.ts";
import { hostRaw, okHead } from "./raw-http.ts";

/** A target that sends its callers on to another origin, which must not be asked anything. */
async function hostRedirect(status: number): Promise<Hosted> {
  const asked: string[] = [];
  const elsewhere = await listen(
    createServer(({ method, url, headers }, response) => {
      const withKey = headers.authorization === undefined ? "" : ", with a credential";
      asked.push(`another origin was asked: ${method} ${url}${withKey}`);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }),
  );
  const hosted = await hostHttp(({ url }, response) =>
    response.writeHead(status, { location: `${elsewhere.origin}${url}` }).end(),
  );
  return {
    ...hosted,
    grievances: () => asked.slice(0, 3),
    close: async () => {
      await Promise.all([hosted.close(), elsewhere.close()]);
    },
  };
}

/** What stands before a body, and keeps it from coming. */
export const httpHeadTargets = inPhase(
  "http-head",
  [
    {
      name: "garbage-status-line",
      says: "begins its answers with a status line of no HTTP",
      start: () => hostRaw("HTTP/9.9 yes please\r\n\r\n{}"),
      expect: unreachable,
    },
    {
      name: "status-000",
      says: "answers with status 000",
      start: () => hostRaw("HTTP/1.1 000 None\r\ncontent-length: 2\r\n\r\n{}"),
      expect: deadOrUnusable,
    },
    {
      name: "status-999",
      says: "answers with status 999",
      start: () => hostRaw("HTTP/1.1 999 Many\r\ncontent-length: 2\r\n\r\n{}"),
      expect: deadOrUnusable,
    },
    {
      name: "endless-headers",
      says: "sends headers without end",
      start: () =>
        hostRaw((socket) => {
          socket.write("HTTP/1.1 200 OK\r\n");
          flood(socket, "x-more: and more\r\n".repeat(500));
        }),
      expect: unreachable,
    },
    {
      name: "huge-header",
      says: "sends a header of 8 MB",
      start: () => hostRaw(okHead(`x-huge: ${"a".repeat(8 * 2 ** 20)}`, "content-length: 0")),
      expect: unreachable,
    },
    {
      name: "slow-headers",
      says: "sends a header every 50 milliseconds, without end",
      start: () =>
        hostRaw((socket) => {
          socket.write("HTTP/1.1 200 OK\r\n");
          drip(socket, "x-a: b\r\n", 50);
        }),
      expect: unreachable,
    },
    {
      name: "two-lengths",
      says: "gives two different lengths for a body",
      start: () => hostRaw(`${okHead("content-length: 2", "content-length: 400")}{}`),
      expect: deadOrUnusable,
    },
    {
      name: "length-and-chunks",
      says: "gives a length for a body in chunks",
      start: () => hostRaw(`${okHead("content-length: 2", "transfer-encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`),
      expect: deadOrUnusable,
    },
    {
      name: "line-ends-in-values",
      says: "has bare line ends and control characters in header values",
      start: () => hostRaw(`${okHead("x-a: b\n::error::c\rd\u0007", "x-e: \u001b[2Jf\u0000", "content-length: 2")}{}`),
      expect: deadOrUnusable,
    },
    {
      name: "folded-headers",
      says: "folds headers over lines that look like commands",
      start: () => hostRaw(`${okHead("x-a: b\r\n ::error::c\r\n ##[error]d", "content-length: 2")}{}`),
      expect: deadOrUnusable,
    },
    {
      name: "endless-continue",
      says: "answers 100 Continue again and again",
      start: () => hostRaw((socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n", 20)),
      expect: unreachable,
    },
    {
      name: "switches-protocols",
      says: "switches to a protocol nobody asked for",
      start: () => hostRaw("HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\nother"),
      expect: deadOrUnusable,
    },
    {
      name: "silence-after-headers",
      says: "sends the headers of a success, then nothing",
      start: () =>
        hostHttp((_, response) => response.writeHead(200, { "content-type": "application/json" }).flushHeaders()),
      expect: deadOrUnusable,
    },
    {
      name: "stream-of-silence",
      says: "answers everything with a stream that says nothing",
      start: () =>
        hostHttp((_, response) =>
          response.writeHead(200, { "content-type": "application/connect+json" }).flushHeaders(),
        ),
      expect: deadOrUnusable,
    },
    {
      name: "redirects-to-itself",
      says: "redirects every request to itself",
      start: () => hostHttp(({ url }, response) => response.writeHead(307, { location: url }).end()),
      expect: unusable,
    },
    {
      name: "redirects-elsewhere",
      says: "redirects every request to another origin, body and all",
      start: () => hostRedirect(308),
      expect: unusable,
    },
    {
      name: "answers-twice",
      says: "sends two answers to every request, and more unasked",
      start: () => hostRaw(`${okHead("content-length: 2")}{}`.repeat(5)),
      expect: deadOrUnusable,
    },
    {
      name: "busy-for-ever",
      says: "is busy, and asks to come back in eleven days",
      start: () =>
        hostHttp((_, response) =>
          response
            .writeHead(429, { "content-type": "application/json", "retry-after": "999999" })
            .end('{"code":"resource_exhausted","message":"later"}'),
        ),
      expect: unusable,
    },
  ],
  [
    "status-000",
    "huge-header",
    "slow-headers",
    "length-and-chunks",
    "switches-protocols",
    "redirects-to-itself",
    "busy-for-ever",
    "garbage-status-line",
    "two-lengths",
    "folded-headers",
    "endless-continue",
    "answers-twice",
  ],
);
