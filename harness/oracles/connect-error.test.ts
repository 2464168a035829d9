import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { exchangeOf, type TestResponse } from "../wire/exchange.testing.ts";
import { bodyOf, type Header } from "../wire/exchange.ts";
import { judgeError, judgeErrorBody } from "./connect-error.ts";

function bodyBreaches(answer: TestResponse) {
  const { response } = exchangeOf(answer);
  return response && judgeErrorBody(response, bodyOf(response)).map(({ clause }) => clause);
}

describe("judgeErrorBody", () => {
  test.each([
    ["canceled", 499],
    ["unknown", 500],
    ["invalid_argument", 400],
    ["deadline_exceeded", 504],
    ["not_found", 404],
    ["already_exists", 409],
    ["permission_denied", 403],
    ["resource_exhausted", 429],
    ["failed_precondition", 400],
    ["aborted", 409],
    ["out_of_range", 400],
    ["unimplemented", 501],
    ["internal", 500],
    ["unavailable", 503],
    ["data_loss", 500],
    ["unauthenticated", 401],
  ])("%s goes with HTTP %i, and with no other", (code, status) => {
    const body = JSON.stringify({ code });
    expect(bodyBreaches({ status, body })).toEqual([]);
    expect(bodyBreaches({ status: 418, body })).toEqual(["connect.error.status"]);
  });

  test("unimplemented goes with HTTP 404 too", () => {
    expect(bodyBreaches({ status: 404, body: '{"code":"unimplemented"}' })).toEqual([]);
  });

  test("a router or proxy may answer in any form, others only in JSON", () => {
    const html: TestResponse = { headers: [["content-type", "text/html"]], body: "<html>" };
    for (const status of [404, 405, 413, 415, 429, 502, 503, 504])
      expect(bodyBreaches({ ...html, status })).toEqual([]);
    expect(bodyBreaches({ ...html, status: 403 })).toEqual(["connect.error.content-type"]);
  });

  test("a proxy may refuse a request with two credentials in any form", () => {
    const { response } = exchangeOf({ status: 400, headers: [["content-type", "text/html"]], body: "<html>" });
    const judged = (...headers: Header[]) =>
      response &&
      judgeErrorBody(response, bodyOf(response), { method: "POST", url: "", headers, body: new Uint8Array() });
    expect(judged(["authorization", "a"], ["Authorization", "b"])).toEqual([]);
    expect(judged(["authorization", "a"])).toHaveLength(1);
  });

  test("finds a body that is no JSON, and keys that stand twice", () => {
    expect(bodyBreaches({ status: 404, body: "{" })).toEqual(["connect.error.shape"]);
    expect(bodyBreaches({ status: 404, body: '{"code":"not_found","code":"not_found"}' })).toEqual([
      "json.reply.duplicate-keys",
    ]);
  });
});

describe("judgeError", () => {
  test.each<[JsonValue, readonly (string | undefined)[]]>([
    [{ code: "not_found", message: "m", details: [{ type: "a.B", value: "AA" }] }, []],
    ["not_found", [""]],
    [{ code: 5 }, ["code"]],
    [{ code: "missing" }, ["code"]],
    [{ code: "internal", message: null, details: {} }, ["message", "details"]],
    [
      { code: "internal", details: [1, { type: "x/a.B", value: "AAAAA" }] },
      ["details[0]", "details[1].type", "details[1].value"],
    ],
  ])("of %j the breaches are at %j", (error, places) => {
    expect(judgeError(error).breaches.map(({ at }) => at)).toEqual(places);
  });

  test("the code is given where there is one, known or not", () => {
    expect(judgeError({ code: "missing" }).code).toBe("missing");
    expect(judgeError({}).code).toBeUndefined();
  });
});
