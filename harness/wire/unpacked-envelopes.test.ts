import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { maxDecodedBytes, unpackedSoFar } from "./coding.ts";
import { encodeEnvelope } from "./envelope.ts";
import { unpackEnvelopes } from "./unpacked-envelopes.ts";

const packed = (bytes: Uint8Array) => encodeEnvelope(1, gzipSync(bytes));
const text = (one: { readonly bytes: Uint8Array | undefined }) =>
  one.bytes === undefined ? undefined : new TextDecoder().decode(one.bytes);

test("what says that it is compressed is unpacked, the rest is as it came", () => {
  const body = Buffer.concat([encodeEnvelope(0, Buffer.from("plain")), packed(Buffer.from("packed")), Buffer.of(0, 0)]);
  const { envelopes, rest } = unpackEnvelopes(body, "gzip");
  expect(envelopes.map(text)).toEqual(["plain", "packed"]);
  expect(rest).toEqual(Buffer.of(0, 0));
  expect(unpackEnvelopes(body, "br").envelopes.map(text)).toEqual(["plain", undefined]);
});

test("a hundred envelopes that come to too much are not all unpacked, and plain ones after them are read", () => {
  const bomb = packed(new Uint8Array(4 * maxDecodedBytes));
  const body = Buffer.concat([
    packed(Buffer.from("before")),
    ...Array<Uint8Array>(100).fill(bomb),
    packed(Buffer.from("after")),
    encodeEnvelope(2, Buffer.from("{}")),
  ]);
  const before = unpackedSoFar();
  const { envelopes } = unpackEnvelopes(body, "gzip");
  expect(unpackedSoFar() - before).toBeLessThan(1.1 * maxDecodedBytes);
  expect([text(envelopes[0] ?? expect.fail()), envelopes.slice(1, -1).map(text).filter(Boolean)]).toEqual([
    "before",
    [],
  ]);
  expect(envelopes.at(-1)?.bytes).toEqual(Buffer.from("{}"));
});

test("a bomb is unpacked once, however many look at its body", () => {
  const body = Buffer.concat([packed(new Uint8Array(4 * maxDecodedBytes)), encodeEnvelope(2, Buffer.from("{}"))]);
  const first = unpackEnvelopes(body, "gzip");
  const before = unpackedSoFar();
  expect(unpackEnvelopes(body, "gzip").envelopes).toEqual(first.envelopes);
  expect(unpackedSoFar()).toBe(before);
});
