import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import type { Exchange } from "../wire/exchange.ts";
import { evidenceOf } from "./excerpt.ts";

const secret = "k3y-9f27ab51c0de4d88a1b2";

function exchangeWith(body: Uint8Array): Exchange {
  return {
    number: 1,
    rpc: "alpha.v1.SecretService/GetSecret",
    request: { method: "POST", url: "http://127.0.0.1:1/x", headers: [], body: new Uint8Array() },
    response: {
      status: 200,
      headers: [["content-type", "application/json"]],
      trailers: [],
      chunks: [{ at: 1, bytes: body }],
      ended: true,
    },
    failure: undefined,
    startedAt: 0,
    durationMs: 1,
  };
}

function shown(body: Uint8Array): string {
  const secrets = createSecretRegistry();
  secrets.register(secret, "the key", "credential");
  return JSON.stringify(evidenceOf(exchangeWith(body), secrets));
}

const hex = Buffer.from(secret).toString("hex");

test.each([
  ["in text", Buffer.from(`{"a":"${secret}"}`)],
  ["beside a control character", Buffer.from(`\u0001${secret}`)],
  ["beside bytes that are no text", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret)])],
  ["where a long body is cut", Buffer.from(`${"x".repeat(7_990)}${secret}${"y".repeat(2_000)}`)],
])("a credential %s is not in the evidence", (_where, body) => {
  const text = shown(body);
  expect(text).not.toContain(secret.slice(0, 12));
  expect(text).not.toContain(hex.slice(0, 24));
});

test("bytes without a credential are shown", () => {
  expect(shown(Buffer.from([1, 2, 0xff]))).toContain("hex:0102ff");
});
