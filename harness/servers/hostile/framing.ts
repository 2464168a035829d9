import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "../reference/core/envelope.ts";
import { gzipBomb } from "./bombs.ts";
import { hostDecorated } from "./decorated.ts";
import { type Hosted, inPhase, served } from "./hostile.ts";

const empty = encodeEnvelope(0, Buffer.from("{}"));
const end = encodeEnvelope(2, Buffer.from("{}"));
/** Most bytes an endless stream comes to. */
const maxBytes = 64 * 2 ** 20;

/** The references, whose streams are these pieces in place of their own. */
function hostStreams(pieces: () => Iterable<Uint8Array>): Promise<Hosted> {
  return hostDecorated({
    async *frames(own) {
      const iterator = own[Symbol.asyncIterator]();
      const first = await iterator.next();
      await iterator.return?.();
      // A refusal stays one, so that whatever else is asked goes on.
      if (!first.done && (first.value[0] ?? 0) === 2) yield first.value;
      else yield* pieces();
    },
  });
}

function* repeated(piece: Uint8Array): Iterable<Uint8Array> {
  for (let sent = 0; sent < maxBytes; sent += piece.length) yield piece;
}

const many = (piece: Uint8Array, times: number) => Buffer.concat(Array<Uint8Array>(times).fill(piece));

/** What takes its time to be made is made once: a server that is busy making it is no test of who reads it. */
function once(make: () => Iterable<Uint8Array>): () => Iterable<Uint8Array> {
  let made: Iterable<Uint8Array> | undefined;
  return () => {
    made ??= [...make()];
    return made;
  };
}

/** Where runs with little time look for streams. */
const narrow = [
  ...["--service", "PublicTestFixtureService", "--only", "stream/*", "--only", "transport/stream-*"],
  ...["--only", "wire/*", "--runs", "4"],
];

/** Streams of the references in other envelopes than Connect's. */
export const framingTargets = inPhase(
  "framing",
  (
    [
      ["endless-two-bytes", "sends envelopes of two bytes without end", () => repeated(many(empty, 8192))],
      [
        "endless-empty",
        "sends envelopes of nothing without end",
        () => repeated(many(encodeEnvelope(0, Buffer.alloc(0)), 8192)),
      ],
      [
        "claims-4-gb",
        "claims an envelope of 4 GB, and begins it",
        () => [Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0x7b])],
      ],
      ["compressed-garbage", "marks garbage as compressed", () => [encodeEnvelope(1, Buffer.alloc(2000, 0xa5)), end]],
      ["gzip-bomb", "sends an envelope that comes to 256 MB", once(() => [encodeEnvelope(1, gzipBomb(256)), end])],
      [
        "many-gzip-bombs",
        "sends a hundred envelopes that come to 16 MB each",
        once(() => [many(encodeEnvelope(1, gzipBomb(16)), 100), end]),
      ],
      ["no-end-stream", "ends streams without an end-stream", () => [empty, empty]],
      ["end-stream-twice", "ends streams twice", () => [empty, end, end]],
      ["data-after-end", "goes on after the end of a stream", () => [empty, end, empty, empty]],
      ["unknown-flags", "sets flags nobody knows", () => [encodeEnvelope(0xf8, Buffer.from("{}")), end]],
      ["cut-short", "ends within the head of an envelope", () => [empty, empty.subarray(0, 3)]],
      [
        "end-of-1-mb",
        "ends streams with a megabyte of metadata",
        () => [encodeEnvelope(2, Buffer.from(JSON.stringify({ metadata: { a: Array(100_000).fill("0123456") } })))],
      ],
      [
        "end-of-garbage",
        "ends streams with an end-stream that is no JSON",
        () => [empty, encodeEnvelope(2, gzipSync("{}"))],
      ],
    ] as const
  ).map(([name, says, pieces]) => ({
    name,
    says,
    start: () => hostStreams(pieces),
    narrow,
    expect: { ...served, exit: [1] },
  })),
  [
    "endless-empty",
    "many-gzip-bombs",
    "data-after-end",
    "unknown-flags",
    "cut-short",
    "end-of-garbage",
    "compressed-garbage",
    "end-stream-twice",
    "end-of-1-mb",
  ],
);
