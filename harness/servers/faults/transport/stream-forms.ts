import { gzipSync } from "node:zlib";
import { rpc } from "../../../../proto/rpcs.ts";
import { compressedFlag, encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import type { Fault } from "../fault.ts";
import { isEndStream, onFrames, payloadOf } from "../stream-messages.ts";
import { faultsAt } from "../table.ts";

/** What becomes of one envelope: any pieces of bytes. */
export type Reframe = (frame: Uint8Array, isEnd: boolean) => readonly Uint8Array[];

/** Every envelope of an RPC's streams is put through `reframe`. */
export const reframing = (reframe: Reframe) =>
  onFrames(async function* (frames) {
    for await (const frame of frames) yield* reframe(frame, isEndStream(frame));
  });

const head = (flags: number, length: number, littleEndian = false) => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(flags);
  if (littleEndian) bytes.writeUInt32LE(length, 1);
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

export const zipped = inData((frame) => [encodeEnvelope(compressedFlag, gzipSync(payloadOf(frame)))]);

const watch = "alpha.v1.JobService/WatchJob";
const run = "alpha.v1.PublicTestFixtureService/RunStream";

/** By clause and name: at which RPC a stream has another form, what that is, and what is sent. */
export const forms: Readonly<
  Record<string, Readonly<Record<string, readonly [rpc: string, says: string, reframe: Reframe]>>>
> = {
  "connect.stream.end": {
    "no-end-stream": [run, "the end-stream is missing", atEnd(() => [])],
    "two-end-streams": [watch, "the end-stream comes twice", atEnd((frame) => [frame, frame])],
    "data-after-end": [
      run,
      "a message follows the end-stream",
      atEnd((frame) => [frame, message('{"output":"late"}')]),
    ],
  },
  "connect.stream.envelopes": {
    "length-too-large": [
      watch,
      "the announced length is one too large",
      (frame) => [head(frame[0] ?? 0, frame.length - 4), payloadOf(frame)],
    ],
    "length-little-endian": [
      run,
      "the length is little-endian",
      (frame) => [head(frame[0] ?? 0, frame.length - 5, true), payloadOf(frame)],
    ],
    "newline-at-the-end": [run, "a line break follows the last envelope", atEnd((frame) => [frame, Buffer.from("\n")])],
    "no-envelopes": [
      watch,
      "messages come as lines, without envelopes",
      (frame) => [Buffer.from(`${payloadOf(frame)}\n`)],
    ],
  },
  "connect.stream.flags": {
    "reserved-flag": [
      watch,
      "a reserved flag is set",
      inData((frame) => [head(0x80, frame.length - 5), payloadOf(frame)]),
    ],
    "reserved-flag-at-end": [
      run,
      "a reserved flag is set on the end-stream",
      atEnd((frame) => [head(endStreamFlag | 4, frame.length - 5), payloadOf(frame)]),
    ],
  },
  "connect.stream.compression": {
    "flagged-not-compressed": [
      run,
      "a plain message is flagged as compressed",
      inData((frame) => [head(compressedFlag, frame.length - 5), payloadOf(frame)]),
    ],
    "compressed-undeclared": [watch, "messages are in gzip, and no coding is declared", zipped],
  },
  "connect.stream.end-shape": {
    "end-error-null": [run, "a success has a null error", atEnd(() => [end('{"error":null}')])],
    "end-error-empty": [watch, "a success has an empty error", atEnd(() => [end('{"error":{}}')])],
    "end-metadata-text": [
      run,
      "metadata holds texts in place of lists",
      atEnd(() => [end('{"metadata":{"cost":"1"}}')]),
    ],
    "end-metadata-list": [watch, "metadata is a list", atEnd(() => [end('{"metadata":["cost"]}')])],
    "end-not-json": [watch, "the end-stream is text", atEnd(() => [end("done")])],
    "end-empty": [run, "the end-stream is empty", atEnd(() => [end("")])],
  },
  "connect.stream.payload": {
    "payload-text": [run, "a message is text", inData(() => [message("part")])],
    "payload-array": [watch, "a message stands in an array", inData((frame) => [message(`[${payloadOf(frame)}]`)])],
    "payload-two-objects": [
      run,
      "a message holds two objects",
      inData((frame) => [message(`${payloadOf(frame)}${payloadOf(frame)}`)]),
    ],
  },
};

/** What a clause of the protocol is broken with that says what the contract itself says of envelopes. */
export const alsoBroken = (breaks: string): readonly string[] =>
  ["connect.stream.envelopes", "connect.stream.payload"].includes(breaks) ? ["*.endpoints.envelopes"] : [];

export const streamFormFaults: readonly Fault[] = Object.entries(forms).flatMap(([breaks, ofClause]) =>
  Object.entries(ofClause).flatMap(([what, [name, says, reframe]]) =>
    faultsAt([rpc(name)], {
      id: `transport/${what}`,
      says: `sends a stream of another form: ${says}`,
      breaks,
      also: alsoBroken(breaks),
      decorate: reframing(reframe),
    }),
  ),
);

/** Sends the end-stream in gzip to who offers to take it, and does not flag it as compressed. */
const zippedEnd = onFrames(async function* (frames, call) {
  const isOffered = call.headers["connect-accept-encoding"] === "gzip";
  for await (const frame of frames)
    yield isOffered && isEndStream(frame) ? encodeEnvelope(endStreamFlag, gzipSync(payloadOf(frame))) : frame;
});

/** Streams that are of another form where the client offers to take gzip. */
export const zippedEnds: readonly Fault[] = faultsAt(
  ["alpha.v1.JobService/WatchJob", "beta.v1.RunService/WatchRun", "beta.v1.RunService/StreamRunText"].map(rpc),
  {
    id: "transport/zipped-end",
    says: "sends the end-stream in gzip, unflagged, to who offers to take gzip",
    breaks: "connect.stream.end-shape",
    decorate: zippedEnd,
  },
);

/** Writes the lengths of envelopes in the other byte order. */
export const turnedLengths: readonly Fault[] = faultsAt(
  ["beta.v1.RunService/WatchRun", "beta.v1.RunService/StreamRunText"].map(rpc),
  {
    id: "transport/turned-lengths",
    says: "writes the lengths of envelopes in the other byte order",
    breaks: "*.endpoints.envelopes",
    also: ["connect.stream.envelopes"],
    decorate: reframing((frame) => [head(frame[0] ?? 0, frame.length - 5, true), payloadOf(frame)]),
  },
);
