import type { ServerResponse } from "node:http";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { defineAlphaVariant, defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

/** Adds a parameter to the content type of streams as it is written. */
function withStreamParameter(response: ServerResponse): void {
  const write = response.writeHead.bind(response) as (
    status: number,
    headers?: Record<string, string>,
  ) => ServerResponse;
  response.writeHead = ((status: number, headers?: Record<string, string>) =>
    write(
      status,
      headers?.["content-type"] === "application/connect+json"
        ? { ...headers, "content-type": "application/connect+json; charset=utf-8" }
        : headers,
    )) as typeof response.writeHead;
}

/** The last call each server works on, by its port. */
const lines = new Map<number | undefined, Promise<void>>();

/** Has a call wait until those before it are over. */
const inOneLine: NonNullable<WireHooks["raw"]> = ({ headers, socket }, response, next) => {
  if (headers["content-type"]?.startsWith("application/connect")) return next();
  const over = new Promise<void>((resolve) => response.once("close", resolve));
  const before = lines.get(socket.localPort) ?? Promise.resolve();
  lines.set(
    socket.localPort,
    before.then(() => {
      next();
      return over;
    }),
  );
};

/** How many requests came on a connection. */
const came = new WeakMap<object, number>();

/** From how many on a connection may be closed with a request on it, unread. */
const manyRequests = 7;

/** Takes a connection for idle that a request has just come on, as a server does that was busy for longer than it keeps one. */
const closesUnread: NonNullable<WireHooks["raw"]> = ({ socket }, _response, next) => {
  const count = (came.get(socket) ?? 0) + 1;
  came.set(socket, count);
  if (count >= manyRequests) socket.resetAndDestroy();
  else next();
};

/** Whether a request names its credential twice. */
const hasTwoCredentials = (headers: readonly string[]) =>
  headers.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "authorization").length > 1;

/** What HTTP leaves free. */
export const httpVariants: readonly Variant[] = [
  ...defineVariants({
    id: "two-credentials-refused-by-a-proxy",
    says: "stands behind a proxy that answers a request with two Authorization headers itself, with 400 and a page",
    open: ["TR-12", "*.open.credential-forms"],
    decoration: {
      raw(request, response, next) {
        if (!hasTwoCredentials(request.rawHeaders)) return next();
        request.resume();
        response.writeHead(400, { "content-type": "text/html" }).end("<html><title>400 Bad Request</title></html>");
      },
    },
  }),
  ...defineVariants({
    id: "charset",
    says: "names the charset in its content types",
    open: ["TR-03", "CP-U-10"],
    decoration: {
      choices: { charset: true },
      raw(_request, response, next) {
        withStreamParameter(response);
        next();
      },
    },
  }),
  ...defineVariants({
    id: "more-headers",
    says: "sends headers of tracing, CORS and codings, and trailing metadata",
    open: ["TR-02", "TR-05"],
    decoration: {
      choices: {
        extraHeaders: {
          vary: "accept-encoding, origin",
          server: "variant/1",
          "accept-encoding": "gzip",
          "connect-accept-encoding": "gzip",
          "access-control-allow-origin": "*",
          "x-request-id": "7f3",
          traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        },
      },
      http: (response) => ({
        ...response,
        headers: { ...response.headers, "content-encoding": "identity", "trailer-x-served-by": "one" },
      }),
    },
  }),
  ...defineVariants({
    id: "upper-case-headers",
    says: "spells header names and the media type in its own way",
    open: ["TR-01", "TR-03"],
    decoration: {
      http: ({ headers, ...response }) => {
        const { "content-type": type, ...others } = headers;
        return { ...response, headers: { ...others, ...(type && { "Content-Type": `${type} ;Charset="UTF-8"` }) } };
      },
    },
  }),
  ...defineVariants({
    id: "one-call-a-connection",
    says: "closes the connection after each reply",
    open: ["TR-18"],
    decoration: {
      raw(_request, response, next) {
        response.setHeader("connection", "close");
        next();
      },
    },
  }),
  ...defineVariants({
    id: "closes-with-requests-unread",
    says: "resets a connection every now and then, with a request on it that it has not read",
    open: ["TR-18"],
    decoration: { raw: closesUnread },
  }),
  ...defineVariants({
    id: "single-bytes",
    says: "sends its replies byte by byte",
    open: ["TR-14"],
    decoration: { choices: { pieceBytes: 1 } },
  }),
  ...defineVariants({
    id: "pieces-of-seven",
    says: "sends its replies in pieces of seven bytes",
    open: ["TR-14"],
    decoration: { choices: { pieceBytes: 7 } },
  }),
  ...defineVariants({
    id: "chunked",
    says: "sends unary replies without their length",
    open: ["TR-26"],
    decoration: {
      raw(_request, response, next) {
        const write = response.writeHead.bind(response) as (
          status: number,
          headers?: Record<string, string>,
        ) => ServerResponse;
        response.writeHead = ((status: number, headers: Record<string, string> = {}) => {
          const { "content-length": _, ...others } = headers;
          return write(status, others);
        }) as typeof response.writeHead;
        next();
      },
    },
  }),
  ...defineVariants({
    id: "compresses-all",
    says: "compresses whatever it may",
    open: ["TR-04", "TR-15", "CP-S-09"],
    // Where replies are rewritten, a coding is chosen otherwise.
    alone: true,
    decoration: { choices: { compressFromBytes: 0, codings: ["gzip", "br"] } },
  }),
  ...defineVariants({
    id: "slow-answers",
    says: "takes 50 milliseconds longer for every call",
    open: ["TR-17"],
    decoration: { choices: { delayMs: 50 } },
  }),
  defineBetaVariant({
    id: "one-call-at-a-time",
    says: "works on one call after the other, but for streams",
    open: ["TR-17"],
    // Beside others that take their time hardly any call would come to its turn.
    alone: true,
    decoration: { raw: inOneLine },
  }),
  defineAlphaVariant({
    id: "asked-two-at-a-time",
    says: "is asked for two things at a time at most, as its target file says",
    open: ["TR-17"],
    // What others do when they are asked for more would not be seen.
    alone: true,
    decoration: {},
    target: (file) => ({ ...file, limits: { ...file.limits, concurrency: 2 } }),
  }),
  ...defineVariants({
    id: "answers-at-odd-times",
    says: "takes up to 40 milliseconds longer, some calls more than others, so that later ones overtake earlier ones",
    open: ["TR-17"],
    decoration: {
      raw(_request, _response, next) {
        setTimeout(next, 40 * Math.random() ** 2);
      },
    },
  }),
  ...defineVariants({
    id: "stream-metadata",
    says: "ends streams with metadata and keys of its own",
    open: ["CP-S-20", "TR-16"],
    decoration: {
      async *frames(frames) {
        for await (const frame of frames) {
          const head = Buffer.from(frame.subarray(0, 5));
          if (head[0] !== 2) {
            yield frame;
            continue;
          }
          const end = JSON.parse(Buffer.from(frame.subarray(5)).toString()) as object;
          const data = Buffer.from(JSON.stringify({ ...end, metadata: { "x-served-by": ["one", "two"] }, took: 1 }));
          head.writeUInt32BE(data.length, 1);
          yield Buffer.concat([head, data]);
        }
      },
    },
  }),
];
