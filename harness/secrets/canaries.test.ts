import { expect, test } from "vitest";
import { resolveClause } from "../../proto/clauses/index.ts";
import { packageNames, rpc } from "../../proto/rpcs.ts";
import { clauseOf } from "../../suites/secrecy/canaries.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import { findSecrets } from "./canaries.ts";
import { createSecretRegistry } from "./registry.ts";

function streamOf(messages: readonly Record<string, string>[]): Reply {
  const row = rpc("beta.v1.RunService/StreamRunText");
  const exchange: Exchange = {
    number: 1,
    rpc: row.name,
    request: { method: "POST", url: "http://127.0.0.1:1/x", headers: [], body: new Uint8Array() },
    response: { status: 200, headers: [], trailers: [], chunks: [], ended: true },
    failure: undefined,
    startedAt: 0,
    durationMs: 1,
  };
  return {
    row,
    request: {},
    exchange,
    outcome: "served",
    json: {},
    messages: messages.map((event) => ({ json: { event }, at: 0 })),
  } as unknown as Reply;
}

const secrets = createSecretRegistry();
secrets.register("0123456789abcdefghij", "a secret's value", "secret value");

test("a value in pieces over the messages of a stream is found", () => {
  const pieces = ["see: 01234", "56789abc", "defghij"].map((delta) => ({ delta }));
  expect(findSecrets(streamOf(pieces), secrets).map(({ at }) => at)).toEqual(["messages put together (raw)"]);
});

test("numbers that go up are no secret", () => {
  const rising = Array.from({ length: 30 }, (_, index) => ({ sequence: String(30 + index) }));
  expect(findSecrets(streamOf(rising), secrets)).toEqual([]);
});

test.each(packageNames)("whatever is found in a reply of %s breaks a clause of that package", (name) => {
  for (const kind of ["secret value", "signing secret", "credential", "issued credential"] as const) {
    expect(resolveClause(clauseOf(kind, name), name), kind).toBeDefined();
  }
});
