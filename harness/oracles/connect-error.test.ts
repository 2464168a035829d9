import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { statusOfCode } from "../../proto/clauses/codes.ts";
import { exchangeOf, type TestResponse } from "../wire/exchange.testing.ts";
import { bodyOf } from "../wire/exchange.ts";
import { judgeError, judgeErrorBody } from "./connect-error.ts";

function bodyBreaches(answer: TestResponse) {
  const { response } = exchangeOf(answer);
  return response && judgeErrorBody(response, bodyOf(response)).map(({ clause }) => clause);
}

describe("judgeErrorBody", () => {
  test.each(Object.entries(statusOfCode))("%s goes with HTTP %i, and with no other", (code, status) => {
    const body = JSON.stringify({ code });
    expect(bodyBreaches({ status, body })).toEqual([]);
    expect(bodyBreaches({ status: 418, body })).toEqual(["connect.error.status"]);
  });

  test("unimplemented goes with HTTP 404 too", () => {
    expect(bodyBreaches({ status: 404, body: '{"code":"unimplemented"}' })).toEqual([]);
  });

  test("a router or proxy may answer in any form, others only in JSON", () => {
    const html: TestResponse = { headers: [["content-type", "text/html"]], body: "<html>" };
    expect(bodyBreaches({ ...html, status: 502 })).toEqual([]);
    expect(bodyBreaches({ ...html, status: 403 })).toEqual(["connect.error.content-type"]);
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
      { code: "internal", details: [1, { type: "x/a.B", value: "A" }] },
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
