import fc from "fast-check";
import { expect, test } from "vitest";
import { createBodyCollector } from "./body.ts";

test("whatever pieces a body comes in, it is the same bytes, each at the time its last byte came", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 200 }), (pieces) => {
      const body = createBodyCollector();
      for (const [at, piece] of pieces.entries()) body.add(piece, at);
      expect(Buffer.concat(body.chunks.map(({ bytes }) => bytes))).toEqual(Buffer.concat(pieces));
      expect(body.size).toBe(Buffer.concat(pieces).byteLength);
      const times = body.chunks.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test("the pieces of a stream are kept apart", () => {
  const body = createBodyCollector();
  for (let at = 0; at < 200; at += 1) body.add(Buffer.from("message"), at * 10);
  expect(body.chunks).toHaveLength(200);
});

test("a million pieces of one byte are kept in few", () => {
  const body = createBodyCollector();
  for (let at = 0; at < 1_000_000; at += 1) body.add(Buffer.from([at & 0xff]), at / 1000);
  expect(body.chunks.length).toBeLessThan(500);
  const held = body.chunks.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0);
  expect(held).toBeLessThan(2_500_000);
});

test("what a piece stood in may be used again", () => {
  const body = createBodyCollector();
  const buffer = Buffer.from("one");
  body.add(buffer, 0);
  buffer.write("two");
  expect(Buffer.concat(body.chunks.map(({ bytes }) => bytes)).toString()).toBe("one");
});
