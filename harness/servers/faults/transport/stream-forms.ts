import { gzipSync } from "node:zlib";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { compressedFlag, encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { defineFault, type Fault } from "../fault.ts";

/** What becomes of one envelope: any pieces of bytes. */
export type Reframe = (frame: Uint8Array, isEnd: boolean) => readonly Uint8Array[];

const watch = "alpha.v1.JobService/WatchJob";
const run = "alpha.v1.PublicTestFixtureService/RunStream";

/** A decoration that puts every envelope of one RPC's streams through `reframe`. */
export function reframed(rpc: string, reframe: Reframe): WireHooks {
  return {
    frames: (frames, call) =>
      call.rpc !== rpc
        ? frames
        : (async function* () {
            for await (const frame of frames) yield* reframe(frame, ((frame[0] ?? 0) & endStreamFlag) !== 0);
          })(),
  };
}

const payloadOf = (frame: Uint8Array) => frame.subarray(5);
const head = (flags: number, length: number, little = false) => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(flags);
  if (little) bytes.writeUInt32LE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
};
const end = (text: string) => encodeEnvelope(endStreamFlag, Buffer.from(text));
const message = (text: string) => encodeEnvelope(0, Buffer.from(text));
const atEnd =
  (change: (frame: Uint8Array) => readonly Uint8Array[]): Reframe =>
  (frame, isEnd) =>
    isEnd ? change(frame) : [frame];
const inData =
  (change: (frame: Uint8Array) => readonly Uint8Array[]): Reframe =>
  (frame, isEnd) =>
    isEnd ? [frame] : change(frame);

export type Row = readonly [id: string, says: string, breaks: string, rpc: string, reframe: Reframe];

/** What a stream may get wrong, each at one RPC. */
export const forms: readonly Row[] = [
  ["no-end-stream", "the end-stream is missing", "connect.stream.end", run, atEnd(() => [])],
  ["two-end-streams", "the end-stream comes twice", "connect.stream.end", watch, atEnd((frame) => [frame, frame])],
  [
    "data-after-end",
    "a message follows the end-stream",
    "connect.stream.end",
    run,
    atEnd((frame) => [frame, message('{"output":"late"}')]),
  ],
  [
    "length-too-large",
    "the announced length is one too large",
    "connect.stream.envelopes",
    watch,
    (frame) => [head(frame[0] ?? 0, frame.length - 4), payloadOf(frame)],
  ],
  [
    "length-little-endian",
    "the length is little-endian",
    "connect.stream.envelopes",
    run,
    (frame) => [head(frame[0] ?? 0, frame.length - 5, true), payloadOf(frame)],
  ],
  [
    "newline-at-the-end",
    "a line break follows the last envelope",
    "connect.stream.envelopes",
    run,
    atEnd((frame) => [frame, Buffer.from("\n")]),
  ],
  [
    "no-envelopes",
    "messages come as lines, without envelopes",
    "connect.stream.envelopes",
    watch,
    (frame) => [Buffer.from(`${payloadOf(frame)}\n`)],
  ],
  [
    "reserved-flag",
    "a reserved flag is set",
    "connect.stream.flags",
    watch,
    inData((frame) => [head(0x80, frame.length - 5), payloadOf(frame)]),
  ],
  [
    "reserved-flag-at-end",
    "a reserved flag is set on the end-stream",
    "connect.stream.flags",
    run,
    atEnd((frame) => [head(endStreamFlag | 4, frame.length - 5), payloadOf(frame)]),
  ],
  [
    "flagged-not-compressed",
    "a plain message is flagged as compressed",
    "connect.stream.compression",
    run,
    inData((frame) => [head(compressedFlag, frame.length - 5), payloadOf(frame)]),
  ],
  [
    "compressed-undeclared",
    "messages are in gzip, and no coding is declared",
    "connect.stream.compression",
    watch,
    inData((frame) => [encodeEnvelope(compressedFlag, gzipSync(payloadOf(frame)))]),
  ],
  [
    "end-error-null",
    "a success has a null error",
    "connect.stream.end-shape",
    run,
    atEnd(() => [end('{"error":null}')]),
  ],
  [
    "end-error-empty",
    "a success has an empty error",
    "connect.stream.end-shape",
    watch,
    atEnd(() => [end('{"error":{}}')]),
  ],
  [
    "end-metadata-text",
    "metadata holds texts in place of lists",
    "connect.stream.end-shape",
    run,
    atEnd(() => [end('{"metadata":{"cost":"1"}}')]),
  ],
  [
    "end-metadata-list",
    "metadata is a list",
    "connect.stream.end-shape",
    watch,
    atEnd(() => [end('{"metadata":["cost"]}')]),
  ],
  ["end-not-json", "the end-stream is text", "connect.stream.end-shape", watch, atEnd(() => [end("done")])],
  ["end-empty", "the end-stream is empty", "connect.stream.end-shape", run, atEnd(() => [end("")])],
  ["payload-text", "a message is text", "connect.stream.payload", run, inData(() => [message("part")])],
  [
    "payload-array",
    "a message stands in an array",
    "connect.stream.payload",
    watch,
    inData((frame) => [message(`[${payloadOf(frame)}]`)]),
  ],
  [
    "payload-two-objects",
    "a message holds two objects",
    "connect.stream.payload",
    run,
    inData((frame) => [message(`${payloadOf(frame)}${payloadOf(frame)}`)]),
  ],
];

/** Clauses of the protocol that say what the contract itself says of envelopes. */
export const framing = new Set(["connect.stream.envelopes", "connect.stream.payload"]);

export const streamFormFaults: readonly Fault[] = forms.map(([id, says, breaks, rpc, reframe]) =>
  defineFault({
    id: `transport/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    ...(framing.has(breaks) ? { also: ["alpha.endpoints.envelopes"] } : {}),
    rpc,
    decoration: reframed(rpc, reframe),
  }),
);

/** Changes the head of a reply before it is written, of requests whose headers fit. */
function headed(
  path: string,
  status: number | undefined,
  headers: Record<string, string>,
  fits: (headers: Readonly<Record<string, unknown>>) => boolean = () => true,
): AlphaDecoration {
  return {
    raw(request, response, next) {
      if (request.url === path && fits(request.headers)) {
        const write = response.writeHead.bind(response) as (status: number, headers: object) => typeof response;
        response.writeHead = ((own: number, ownHeaders: object) =>
          write(own === 200 ? (status ?? own) : own, { ...ownHeaders, ...headers })) as typeof response.writeHead;
      }
      next();
    },
  };
}

/** A request in gzip, of a client that takes identity alone. */
const takesNone = (headers: Readonly<Record<string, unknown>>) =>
  headers["connect-content-encoding"] === "gzip" && headers["connect-accept-encoding"] === "identity";

const zipped = inData((frame) => [encodeEnvelope(compressedFlag, gzipSync(payloadOf(frame)))]);

export const streamHeadFaults: readonly Fault[] = [
  defineFault({
    id: "transport/stream-gzip-mirrored",
    says: "a request in gzip is answered in gzip, though the client takes identity alone (RunStream)",
    breaks: "connect.coding-mirrored",
    rpc: run,
    decoration: {
      ...headed(`/${run}`, undefined, { "connect-content-encoding": "gzip" }, takesNone),
      frames: (frames, call) =>
        takesNone(call.headers) ? (reframed(run, zipped).frames?.(frames, call) ?? frames) : frames,
    },
  }),
  defineFault({
    id: "transport/stream-as-json",
    says: "a stream has the content type of a unary reply (RunStream)",
    breaks: "connect.stream.content-type",
    rpc: run,
    decoration: headed(`/${run}`, undefined, { "content-type": "application/json" }),
  }),
  defineFault({
    id: "transport/stream-as-events",
    says: "a stream is text/event-stream (WatchJob)",
    breaks: "connect.stream.content-type",
    rpc: watch,
    decoration: headed(`/${watch}`, undefined, { "content-type": "text/event-stream" }),
  }),
  defineFault({
    id: "transport/stream-status-206",
    says: "a stream has status 206 (WatchJob)",
    breaks: "connect.stream.status",
    rpc: watch,
    decoration: headed(`/${watch}`, 206, {}),
  }),
  defineFault({
    id: "transport/compressed-unasked",
    says: "a stream is in gzip, declared but never offered (RunStream)",
    breaks: "connect.stream.compression",
    rpc: run,
    decoration: {
      ...headed(`/${run}`, undefined, { "connect-content-encoding": "gzip" }),
      ...reframed(run, zipped),
    },
  }),
  defineFault({
    id: "transport/http-trailers",
    says: "a reply ends with HTTP trailers (GetSecret)",
    breaks: "connect.no-trailers",
    rpc: "alpha.v1.SecretService/GetSecret",
    decoration: {
      raw(request, response, next) {
        if (request.url === "/alpha.v1.SecretService/GetSecret") response.addTrailers({ "x-checksum": "0" });
        next();
      },
      http(response, call) {
        if (call.rpc !== "alpha.v1.SecretService/GetSecret") return response;
        const { "content-length": _, ...headers } = response.headers;
        return { ...response, headers };
      },
    },
  }),
];
