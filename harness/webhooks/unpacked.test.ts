import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpacked } from "./unpacked.ts";

const text = Buffer.from('{"runId":"0199"}');

test.each([
  ["gzip", gzipSync(text)],
  ["GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["br", brotliCompressSync(text)],
  ["identity", text],
  [undefined, text],
])("a body in %s is read", (coding, body) => {
  expect(Buffer.from(unpacked(body, coding, 1024))).toEqual(text);
});

test("what does not decode, or comes to too much, stays as it came", () => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  expect(unpacked(bomb, "gzip", 2 ** 20)).toBe(bomb);
  expect(unpacked(text, "gzip", 1024)).toBe(text);
});
