import { expect, test } from "vitest";
import { bodyOf, headerOf, headersIn, type ReceivedResponse } from "./exchange.ts";

test("a body is its chunks in one piece", () => {
  const response = (...parts: readonly string[]): ReceivedResponse => ({
    status: 200,
    headers: [],
    trailers: [],
    chunks: parts.map((part, at) => ({ at, bytes: Buffer.from(part) })),
    ended: true,
  });
  expect(Buffer.from(bodyOf(response("a", "bc", ""))).toString()).toBe("abc");
  const one = response("a");
  expect(bodyOf(one)).toBe(one.chunks[0]?.bytes);
  expect(bodyOf(response())).toHaveLength(0);
});

test("a header is found in any letter case, with all its values", () => {
  const headers = [
    ["Vary", "a"],
    ["x", "1"],
    ["vary", "b"],
  ] as const;
  expect(headerOf(headers, "VARY")).toBe("a, b");
  expect(headerOf(headers, "y")).toBeUndefined();
});

test("headers by name become pairs, one for each value", () => {
  expect(headersIn({ a: "1", b: ["2", "3"], c: undefined })).toEqual([
    ["a", "1"],
    ["b", "2"],
    ["b", "3"],
  ]);
});
