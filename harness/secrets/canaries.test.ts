import { expect, test } from "vitest";
import { resolveClause } from "../../proto/clauses/index.ts";
import { packageNames, rpc } from "../../proto/rpcs.ts";
import { clauseOf } from "../../suites/secrecy/canaries.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type Reply, readUnary } from "../wire/reply.ts";
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
  expect(findSecrets(streamOf(pieces), secrets)).toMatchObject([
    { at: "messages put together", where: "messages put together (raw)" },
  ]);
});

/** A refusal with this text of a call with this body. */
function refusalOf(body: string, message: string): Reply {
  const row = rpc("alpha.v1.SecretService/CreateSecret");
  const answer = { code: "invalid_argument", message };
  const exchange = exchangeOf({ status: 400, body: JSON.stringify(answer) });
  const request = { ...exchange.request, body: new TextEncoder().encode(body) };
  return { ...readUnary(row, {}, { ...exchange, request }) };
}

const value = Buffer.from("0123456789abcdefghij").toString("base64");

test("a refusal of a body that cannot be parsed may quote it; no other secret, and no other refusal may", () => {
  const seen = (body: string, message: string) =>
    findSecrets(refusalOf(body, message), secrets).map((one) => one.quoted);
  expect(seen(`["${value}"]`, `unexpected ["${value}"]`)).toEqual([true]);
  expect(seen(`{"value":"${value}","value":"${value}"}`, `duplicate: ${value}`)).toEqual([true]);
  expect(seen(`{"value":"${value}"}`, `refused ${value}`)).toEqual([undefined]);
  expect(seen(`["nothing"]`, `the last one was ${value}`)).toEqual([undefined]);
});

test("a refusal that quotes its body and tells another secret beside is no quotation", () => {
  const two = createSecretRegistry();
  two.register("0123456789abcdefghij", "a secret's value", "secret value");
  two.register("another-secret-of-others", "a secret's value", "secret value");
  const hits = findSecrets(refusalOf(`["${value}"]`, `${value}, another-secret-of-others`), two);
  const where = `body at message (raw): "<a secret's value>=, <a secret's value>"`;
  expect(hits).toEqual([{ label: "a secret's value", kind: "secret value", at: "message", where }]);
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
