import { describe, expect, test } from "vitest";
import { exchangeOf, type TestResponse } from "../wire/exchange.testing.ts";
import { judgeUnary } from "./connect-unary.ts";

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map(({ clause }) => clause);
const error = (value: unknown, status = 404): TestResponse => ({ status, body: JSON.stringify(value) });

describe("judgeUnary", () => {
  test.each<[string, TestResponse]>([
    ["a plain success", {}],
    ["a charset", { headers: [["Content-Type", "application/json; charset=utf-8"]] }],
    ["white space", { body: ' { "a" : 1 }\n' }],
    [
      "identity spelled out",
      {
        headers: [
          ["content-type", "application/json"],
          ["content-encoding", "identity"],
        ],
      },
    ],
    [
      "an Error",
      error({ code: "not_found", message: "", details: [{ type: "a.B", value: "AAE", debug: {} }], more: 1 }),
    ],
    ["an error without a body", { status: 401, headers: [], body: "" }],
    ["a router's 404", { status: 404, headers: [["content-type", "text/html"]], body: "<html>" }],
    ["a proxy's 503", { status: 503, headers: [["content-type", "text/plain"]], body: "busy" }],
    ["unimplemented by 404", error({ code: "unimplemented" })],
  ])("lets %s pass", (_what, response) => {
    expect(judgeUnary(exchangeOf(response))).toEqual([]);
  });

  test.each<[string, TestResponse, string]>([
    ["201", { status: 201 }, "connect.unary.status"],
    ["text", { headers: [["content-type", "text/plain"]] }, "connect.unary.content-type"],
    ["two texts", { body: "{} {}" }, "connect.unary.one-object"],
    ["an array", { body: "[]" }, "connect.unary.one-object"],
    ["nothing", { body: "" }, "connect.unary.one-object"],
    ["a key twice", { body: '{"a":1,"a":2}' }, "json.reply.duplicate-keys"],
    [
      "an uncalled coding",
      {
        headers: [
          ["content-type", "application/json"],
          ["content-encoding", "gzip"],
        ],
      },
      "connect.unary.encoding",
    ],
    ["an error with 200", { body: '{"code":"not_found"}' }, "connect.error.not-200"],
    ["no code", error({}), "connect.error.shape"],
    ["an unknown code", error({ code: "missing" }), "connect.error.code"],
    ["a message that is none", error({ code: "not_found", message: 1 }), "connect.error.shape"],
    ["a padded detail", error({ code: "not_found", details: [{ type: "a.B", value: "AA==" }] }), "connect.error.shape"],
    ["a status that does not fit", error({ code: "not_found" }, 400), "connect.error.status"],
    [
      "an HTML refusal",
      { status: 401, headers: [["content-type", "text/html"]], body: "<html>" },
      "connect.error.content-type",
    ],
    ["a trailer", { trailers: [["x", "y"]] }, "connect.no-trailers"],
    [
      "reserved metadata",
      {
        headers: [
          ["content-type", "application/json"],
          ["trailer-connect-x", "y"],
        ],
      },
      "connect.reserved-metadata",
    ],
  ])("finds %s", (_what, response, clause) => {
    expect(clausesOf(judgeUnary(exchangeOf(response)))).toContain(clause);
  });

  test("finds a response that was cut", () => {
    const whole = exchangeOf();
    const cut = { ...whole, response: whole.response && { ...whole.response, ended: false } };
    expect(clausesOf(judgeUnary(cut))).toEqual(["connect.whole-reply"]);
  });
});
