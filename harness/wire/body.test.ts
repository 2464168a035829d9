import fc from "fast-check";
import { expect, test } from "vitest";
import { createBodyCollector } from "./body.ts";
import { bodyOf } from "./exchange.ts";

const maxBytes = 4_000_000;

test("whatever pieces a body comes in, it is the same bytes, each at the time its last byte came", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 200 }), (pieces) => {
      const body = createBodyCollector(maxBytes);
      for (const [at, piece] of pieces.entries()) body.add(piece, at);
      expect(Buffer.concat(body.chunks().map(({ bytes }) => bytes))).toEqual(Buffer.concat(pieces));
      const times = body.chunks().map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test("the pieces of a stream are kept apart", () => {
  const body = createBodyCollector(maxBytes);
  for (let at = 0; at < 200; at += 1) body.add(Buffer.from("message"), at * 10);
  expect(body.chunks()).toHaveLength(200);
});

test("a million pieces of one byte are kept in few", () => {
  const body = createBodyCollector(maxBytes);
  for (let at = 0; at < 1_000_000; at += 1) body.add(Buffer.from([at & 0xff]), at / 1000);
  expect(body.chunks().length).toBeLessThan(500);
  const held = new Set(body.chunks().map(({ bytes }) => bytes.buffer));
  expect([...held].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(2_500_000);
});

test("what a piece stood in may be used again", () => {
  const body = createBodyCollector(maxBytes);
  const buffer = Buffer.from("one");
  body.add(buffer, 0);
  buffer.write("two");
  expect(Buffer.concat(body.chunks().map(({ bytes }) => bytes)).toString()).toBe("one");
});

test("of a body that is too large the beginning is kept, and nothing beside it", () => {
  const body = createBodyCollector(maxBytes);
  for (let at = 0; at < 100; at += 1) body.add(Buffer.alloc(50_000, at), at);
  expect(body.isTooLarge).toBe(true);
  const chunks = body.chunks();
  expect(Buffer.concat(chunks.map(({ bytes }) => bytes))).toEqual(
    Buffer.concat([Buffer.alloc(50_000, 0), Buffer.alloc(15_536, 1)]),
  );
  expect(chunks.map(({ at }) => at)).toEqual([0, 1]);
  for (const { bytes } of chunks) expect(bytes.buffer.byteLength).toBeLessThan(70_000);
});

test("a body in many pieces is one array", () => {
  const body = createBodyCollector(maxBytes);
  for (let at = 0; at < 20; at += 1) body.add(Buffer.alloc(20_000, at), at);
  const chunks = body.chunks();
  const whole = bodyOf({ status: 200, headers: [], trailers: [], chunks, ended: true });
  expect(whole.buffer).toBe(chunks[0]?.bytes.buffer);
  expect(Buffer.compare(whole, Buffer.concat(chunks.map(({ bytes }) => bytes)))).toBe(0);
});

const announcing = (bytes: number) => [["Content-Length", String(bytes)]] as const;

test("a long body of an announced length is kept in memory of its own, whatever comes", () => {
  const pieces = fc.array(fc.nat({ max: 60_000 }), { maxLength: 90 });
  const property = fc.property(pieces, fc.nat({ max: 3_000_000 }), (sizes, announced) => {
    const body = createBodyCollector(maxBytes);
    body.begin(maxBytes, announcing(announced));
    for (const [at, size] of sizes.entries()) body.add(Buffer.alloc(size, at), at);
    const whole = Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at)));
    const kept = body.isTooLarge ? whole.subarray(0, 65_536) : whole;
    expect(Buffer.compare(Buffer.concat(body.chunks().map(({ bytes }) => bytes)), kept)).toBe(0);
  });
  fc.assert(property, { numRuns: 40 });
  const body = createBodyCollector(maxBytes);
  body.begin(maxBytes, announcing(50 * 60_000));
  for (let at = 0; at < 50; at += 1) body.add(Buffer.alloc(60_000, at), at);
  const held = new Set(body.chunks().map(({ bytes }) => bytes.buffer));
  expect([...held].map((memory) => memory instanceof ArrayBuffer && memory.resizable)).toEqual([true]);
  expect(body.chunks()).toHaveLength(50);
});

test("a server that announces more than it sends takes no memory by that", () => {
  const body = createBodyCollector(maxBytes);
  body.begin(maxBytes, announcing(2 ** 40));
  body.add(Buffer.from("a little"), 0);
  expect(body.chunks()[0]?.bytes.buffer.byteLength).toBe(8);
});
