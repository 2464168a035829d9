import { expect, test } from "vitest";
import { allHeaders, headersFrom, shownAuthorization } from "./request.ts";

const key = { label: "the key", token: "s3cret" };
const browser = { ...key, origin: "https://app.test" };

test("a credential is sent as a bearer token, a string as it is", () => {
  const request = { url: "http://127.0.0.1/", headers: [["x", "1"]] as const };
  expect(allHeaders({ ...request, authorization: key })).toEqual([
    ["x", "1"],
    ["authorization", "Bearer s3cret"],
  ]);
  expect(allHeaders({ ...request, authorization: "Basic YTpi" }).at(-1)).toEqual(["authorization", "Basic YTpi"]);
  expect(allHeaders(request)).toEqual([["x", "1"]]);
});

test("the origin of a credential is added unless the request has one", () => {
  expect(headersFrom([], browser)).toEqual([["origin", "https://app.test"]]);
  expect(headersFrom([["Origin", "https://other.test"]], browser)).toEqual([["Origin", "https://other.test"]]);
  expect(headersFrom([], key)).toEqual([]);
});

test("what is shown of a credential is its label", () => {
  expect(shownAuthorization(key)).toBe("Bearer <the key>");
  expect(shownAuthorization("Basic YTpi")).toBe("Basic YTpi");
});
