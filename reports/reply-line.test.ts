import { expect, test } from "vitest";
import type { ExchangeEvidence } from "../harness/case/result.ts";
import { replyLine } from "./reply-line.ts";

const request = { method: "POST", url: "http://a", headers: [], body: "{}" };
const answered = (
  response: Partial<NonNullable<ExchangeEvidence["response"]>>,
  failure?: string,
): ExchangeEvidence => ({
  number: 1,
  request,
  response: { status: 200, headers: [], body: "", ...response },
  ...(failure === undefined ? {} : { failure }),
  durationMs: 1,
  curl: "curl",
});

test.each([
  [
    "an error",
    answered({ status: 409, body: '{"code":"aborted","message":"version 2\\nis current","details":[]}' }),
    'HTTP 409 aborted: "version 2\\nis current"',
  ],
  ["an error without a message", answered({ status: 404, body: '{"code":"not_found"}' }), "HTTP 404 not_found"],
  ["a message", answered({ body: '{"secret":{"id":"1"}}' }), 'HTTP 200 {"secret":{"id":"1"}}'],
  [
    "a page of a proxy",
    answered({ status: 502, body: "<html>\n  <title>Bad\u001b Gateway" }),
    "HTTP 502 <html> <title>Bad\\u001b Gateway",
  ],
  [
    "the end of a stream",
    answered({
      frames: [
        { at: 1, flags: 0, text: '{"job":{}}' },
        { at: 2, flags: 2, text: '{"error":{"code":"internal","message":"oh"}}' },
      ],
    }),
    'HTTP 200 internal: "oh"',
  ],
  ["an empty body", answered({ status: 204 }), "HTTP 204"],
  ["one cut short", answered({ body: "{" }, "connection reset"), "HTTP 200 { (connection reset)"],
  [
    "none",
    { number: 1, request, failure: "timed out after 10 ms", durationMs: 1, curl: "curl" },
    "timed out after 10 ms",
  ],
] as const)("%s on one line", (_what, exchange, line) => {
  expect(replyLine(exchange)).toBe(line);
});

test("no line is longer than a log can take", () => {
  expect(replyLine(answered({ body: "x".repeat(5000) }))).toHaveLength(200);
  expect(replyLine(answered({ body: "x".repeat(5000) }, "connection reset"))).toMatch(
    /^HTTP 200 x+… \(connection reset\)$/,
  );
});
