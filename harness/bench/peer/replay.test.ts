import { expect, test } from "vitest";
import { breakdowns, requestsFor } from "./replay.ts";

const from = {
  alpha: { baseUrl: "http://127.0.0.1:4001", workspaceId: "workspace-1", apiKeys: { all: "token-of-one" } },
};
const to = {
  alpha: { baseUrl: "http://127.0.0.1:4002", workspaceId: "workspace-2", apiKeys: { all: "token-of-two" } },
};
const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");

test("recorded requests name what another target file names, and keep every other byte", () => {
  const recorded = {
    url: "http://127.0.0.1:4001/alpha.v1.SecretService/GetSecret",
    method: "POST",
    headers: [["authorization", "Bearer token-of-one"]] as const,
    body: base64('{"workspaceId":{"value":"workspace-1"},"name":"\xff"}'),
  };
  expect(requestsFor([recorded], from, to)).toEqual([
    {
      url: "http://127.0.0.1:4002/alpha.v1.SecretService/GetSecret",
      method: "POST",
      headers: [["authorization", "Bearer token-of-two"]],
      body: base64('{"workspaceId":{"value":"workspace-2"},"name":"\xff"}'),
    },
  ]);
});

test("a loop sees connections that break, and the server's own errors, and nothing else", () => {
  expect(breakdowns([200, "broken", 500, 501, 404, "late", 503])).toEqual([
    "request 1: broken",
    "request 2: 500",
    "request 6: 503",
  ]);
});
