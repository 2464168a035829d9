import { describe, expect, test } from "vitest";
import { exchangeOf } from "../wire/exchange.testing.ts";
import type { Header } from "../wire/exchange.ts";
import {
  duplicateKeys,
  judgeCoding,
  judgeHeaders,
  judgeTrailers,
  mediaType,
  mirroredCoding,
} from "./connect-common.ts";

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map(({ clause }) => clause);

describe("judgeCoding", () => {
  const headers = { accepted: "accept-encoding", own: "content-encoding" };
  const judged = (request: readonly Header[], coding: string | undefined) => {
    return clausesOf(judgeCoding(exchangeOf({ asked: request }), coding, headers, { clause: "not-accepted" }));
  };
  const inGzip: Header = ["Content-Encoding", "gzip"];

  test.each<[string, readonly Header[], string | undefined, readonly string[]]>([
    ["a coding the request accepts", [["accept-encoding", "br, gzip"]], "gzip", []],
    ["identity, whatever the request accepts", [["accept-encoding", "br"]], "identity", []],
    ["the request's own coding, where it accepts none", [inGzip], "gzip", []],
    ["another than the request's own, where it accepts none", [inGzip], "br", ["not-accepted"]],
    ["any, where the request accepts none and has none", [], "gzip", ["not-accepted"]],
    ["one the request does not accept", [["accept-encoding", "identity"]], "gzip", ["not-accepted"]],
    ["the request's own, although it accepts others", [inGzip, ["accept-encoding", "identity"]], "gzip", []],
    ["one that the reply does not declare", [inGzip], undefined, ["not-accepted"]],
  ])("%s", (_what, request, coding, clauses) => {
    expect(judged(request, coding)).toEqual(clauses);
  });
});

test.each<[string, readonly Header[], string, string | undefined]>([
  [
    "the request's own, although it accepts others",
    [
      ["content-encoding", "gzip"],
      ["accept-encoding", "br"],
    ],
    "gzip",
    "gzip",
  ],
  [
    "one the request accepts",
    [
      ["content-encoding", "gzip"],
      ["accept-encoding", "br, gzip"],
    ],
    "gzip",
    undefined,
  ],
  ["the request's own, where it accepts none", [["content-encoding", "gzip"]], "gzip", undefined],
  [
    "another than the request's",
    [
      ["content-encoding", "gzip"],
      ["accept-encoding", "br"],
    ],
    "br",
    undefined,
  ],
  [
    "none",
    [
      ["content-encoding", "identity"],
      ["accept-encoding", "br"],
    ],
    "identity",
    undefined,
  ],
])("a mirrored coding is %s", (_what, asked, coding, mirrored) => {
  const headers = { accepted: "accept-encoding", own: "content-encoding" };
  expect(mirroredCoding(exchangeOf({ asked, headers: [["content-encoding", coding]] }), headers)).toBe(mirrored);
});

test("the breach of a coding says where it is, and what the request accepts", () => {
  const coding = { accepted: "accept-encoding", own: "content-encoding" };
  const asked: readonly Header[] = [["accept-encoding", "br"]];
  expect(judgeCoding(exchangeOf({ asked }), "gzip", coding, { clause: "x", at: "envelope 0" })).toEqual([
    { clause: "x", at: "envelope 0", expected: "one of br, as the request accepts", actual: "gzip" },
  ]);
  expect(judgeCoding(exchangeOf(), undefined, coding, { clause: "x" })).toEqual([
    {
      clause: "x",
      expected: "no coding, as the request accepts none",
      actual: "compressed, in a coding that is not declared",
    },
  ]);
});

test("mediaType is type and subtype in lower case, without parameters", () => {
  expect(mediaType([["Content-Type", "Application/JSON; charset=utf-8"]])).toBe("application/json");
  expect(mediaType([["x", "y"]])).toBe("");
});

test("reserved metadata, HTTP trailers and duplicate keys are breaches, each named", () => {
  expect(
    judgeHeaders([
      ["x-a", "1"],
      ["Trailer-Connect-x", "1"],
    ]),
  ).toMatchObject([{ clause: "connect.reserved-metadata", actual: "Trailer-Connect-x" }]);
  const { response } = exchangeOf({ trailers: [["grpc-status", "0"]] });
  expect(response && judgeTrailers(response)).toMatchObject([{ clause: "connect.no-trailers", actual: "grpc-status" }]);
  expect(duplicateKeys(["a.b"])).toMatchObject([{ clause: "json.reply.duplicate-keys", at: "a.b" }]);
});
