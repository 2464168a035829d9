import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBombWatch } from "./bomb-watch.ts";
import { maxDecodedBytes } from "./coding.ts";
import { encodeEnvelope } from "./envelope.ts";

const packed = encodeEnvelope(1, gzipSync("small"));
const plain = encodeEnvelope(0, Buffer.from("{}"));
const empty = encodeEnvelope(1, new Uint8Array());
const bomb = encodeEnvelope(1, gzipSync(new Uint8Array(2 * maxDecodedBytes)));
/** The same bytes, and not said to be compressed. */
const unflagged = encodeEnvelope(0, gzipSync(new Uint8Array(2 * maxDecodedBytes)));

/** Which piece showed a bomb first; -1 where none did. */
function shownBy(body: Uint8Array, size: number, coding: string | undefined): number {
  const watch = createBombWatch(coding);
  const pieces = Array.from({ length: Math.ceil(body.byteLength / size) }, (_, n) =>
    body.slice(n * size, (n + 1) * size),
  );
  return pieces.findIndex(watch);
}

test("a bomb is seen once it has come whole, however it is cut into pieces and whatever stands before", () => {
  const before = fc.array(fc.constantFrom(packed, plain, empty), { maxLength: 4 });
  const property = fc.property(before, fc.integer({ min: 1, max: 9000 }), (others, size) => {
    const start = Buffer.concat(others);
    const body = Buffer.concat([start, bomb, plain]);
    expect(shownBy(body, size, "gzip")).toBe(Math.ceil((start.byteLength + bomb.byteLength) / size) - 1);
  });
  fc.assert(property, { numRuns: 30 });
});

test("what is no bomb is none, and what is not compressed is not unpacked", () => {
  expect(shownBy(Buffer.concat([packed, plain, empty, unflagged, packed]), 700, "gzip")).toBe(-1);
  expect(shownBy(bomb, 700, undefined)).toBe(-1);
  expect(shownBy(encodeEnvelope(1, Buffer.from("no gzip")), 3, "gzip")).toBe(-1);
});
