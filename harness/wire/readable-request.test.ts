import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { encodeEnvelope } from "./envelope.ts";
import { exchangeOf } from "./exchange.testing.ts";
import type { Header } from "./exchange.ts";
import { isReadable } from "./readable-request.ts";
import { readStream, readUnary } from "./reply.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function readable(body: Uint8Array, name = "SecretService/CreateSecret", headers: readonly Header[] = []): boolean {
  const row = rpc(`alpha.v1.${name}`);
  const exchange = exchangeOf();
  const sent = { ...exchange, request: { ...exchange.request, body, headers } };
  return isReadable(row.stream ? readStream(row, {}, sent) : readUnary(row, {}, sent));
}

const good = bytesOf('{"name":"a","value":"YQ=="}');

test("a body is readable as it is, in a coding, or in an envelope", () => {
  expect(readable(good)).toBe(true);
  expect(readable(gzipSync(good), undefined, [["content-encoding", "gzip"]])).toBe(true);
  expect(readable(encodeEnvelope(0, bytesOf('{"jobId":{"value":"a"}}')), "JobService/WatchJob")).toBe(true);
});

test.each([
  ["no JSON", "{"],
  ["no object", '["a"]'],
  ["a value of another type", '{"name":5}'],
  ["a key twice", '{"name":"a","name":"b"}'],
  ["a field that is not known", '{"nome":"a"}'],
  ["base64 with white space", '{"name":"a","value":"YQ =="}'],
  ["base64 with too much padding", '{"name":"a","value":"YQ===="}'],
])("a body is not readable that is or has %s", (_what, text) => {
  expect(readable(bytesOf(text))).toBe(false);
});

test("a body is not readable that does not decode, or is no single envelope", () => {
  expect(readable(good, undefined, [["content-encoding", "gzip"]])).toBe(false);
  const twice = Buffer.concat([encodeEnvelope(0, bytesOf("{}")), encodeEnvelope(0, bytesOf("{}"))]);
  expect(readable(twice, "JobService/WatchJob")).toBe(false);
});
