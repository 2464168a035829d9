import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeContent, isBomb, maxDecodedBytes } from "./coding.ts";

const codings = [
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
] as const;

test.each(codings)("%s is undone, once for all who ask", (coding, compress) => {
  const bytes = compress("hello");
  const decoded = decodeContent(bytes, coding);
  expect(Buffer.from(decoded ?? []).toString()).toBe("hello");
  expect(decodeContent(bytes, coding)).toBe(decoded);
});

test.each(codings)("decoding %s stops at the bound", (coding, compress) => {
  const zeros = new Uint8Array(16 * maxDecodedBytes);
  const before = process.memoryUsage().rss;
  const bomb = compress(zeros);
  expect(decodeContent(bomb, coding)).toBeUndefined();
  expect(isBomb(bomb, coding)).toBe(true);
  expect(decodeContent(compress(zeros.subarray(0, maxDecodedBytes)), coding)).toHaveLength(maxDecodedBytes);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
});

test("what does not decode, or says a coding nobody knows, is undefined", () => {
  expect(decodeContent(Buffer.from("no gzip"), "gzip")).toBeUndefined();
  expect(isBomb(Buffer.from("no gzip"), "gzip")).toBe(false);
  for (const coding of ["zstd", "toString"]) expect(decodeContent(Buffer.from("x"), coding)).toBeUndefined();
  const bytes = Buffer.from("x");
  expect(decodeContent(bytes, "identity")).toBe(bytes);
  expect(decodeContent(bytes, undefined)).toBe(bytes);
});
