import { expect, test } from "vitest";
import { bodyOf, type Exchange, headerOf, headersIn, type ReceivedResponse, sentAt, toShow } from "./exchange.ts";

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

test("of a long body an exchange to be shown keeps a copy of its beginning, and says how long it was", () => {
  const response = { status: 200, trailers: [], ended: true };
  const of = (length: number, type = "application/json") => {
    const chunks = [{ at: 7, bytes: new Uint8Array(length).fill(1) }];
    return { response: { ...response, headers: [["content-type", type]], chunks } } as unknown as Exchange;
  };
  for (const short of [of(16_000), of(100_000, "application/connect+json")]) expect(toShow(short)).toBe(short);
  expect(toShow(of(65_000)).cutFrom).toBe(65_000);
  expect(toShow(of(200_000, "application/connect+json")).cutFrom).toBe(200_000);
  const long = toShow(of(3_000_000));
  expect(long.cutFrom).toBe(3_000_000);
  expect(long.response?.chunks.map(({ at, bytes }) => [at, bytes.length, bytes.buffer.byteLength])).toEqual([
    [7, 10_240, 10_240],
  ]);
});

test.each([
  ["Thu, 01 Jan 2026 12:00:00 GMT", 1_767_268_800_000],
  ["yesterday", undefined],
])("a response of the Date %s was sent at %s", (date, ms) => {
  expect(sentAt({ headers: [["date", date]] })).toBe(ms);
});

test("a response without a Date says no time", () => {
  expect(sentAt({ headers: [] })).toBeUndefined();
  expect(sentAt(undefined)).toBeUndefined();
});
