import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import type { Exchange } from "../wire/exchange.ts";
import { decodeBytes, decodeExchange, encodeBytes, encodeExchange, replyOf } from "./encode.ts";

const row = rpc("alpha.v1.SecretService/GetSecret");
const nothing = { bytes: (bytes: Uint8Array) => bytes, text: (text: string) => text };
const request = { secretId: { value: "s3cret" } };
const body = Buffer.from(JSON.stringify(request));
const base = exchangeOf({ body: '{"secret":{"name":"s3cret"}}', headers: [["x-a", "s3cret"]] });
const exchange: Exchange = {
  ...base,
  number: 7,
  rpc: row.name,
  request: { ...base.request, body, url: "http://127.0.0.1/s3cret" },
  response: base.response && {
    ...base.response,
    chunks: [
      { at: 1.239, bytes: Buffer.from('{"secret":{"name":"s3c') },
      { at: 2, bytes: Buffer.from('ret"}}') },
    ],
  },
};
const seen = { by: "a/case x", exchange, call: { row, request, exempt: ["wire/x"], judged: true } };

test("bytes stand as text where they are UTF-8, else in base64", () => {
  expect(encodeBytes(Buffer.from("é"))).toBe("é");
  expect(encodeBytes(Uint8Array.of(0xff, 0))).toEqual({ base64: "/wA=" });
  for (const bytes of [Buffer.from("é"), Buffer.from([0xff, 0])]) {
    expect(Buffer.from(decodeBytes(encodeBytes(bytes)))).toEqual(bytes);
  }
});

test("an exchange comes back as it was, numbered by its order, with times to a hundredth", () => {
  const event = encodeExchange(seen, 12, nothing);
  const decoded = decodeExchange(event);
  expect(decoded).toMatchObject({ number: 12, rpc: row.name, request: { url: exchange.request.url } });
  expect(decoded.response?.chunks.map(({ at }) => at)).toEqual([1.24, 2]);
  expect(Buffer.concat(decoded.response?.chunks.map(({ bytes }) => bytes) ?? []).toString()).toBe(
    '{"secret":{"name":"s3cret"}}',
  );
  expect(event.call).toEqual({ rpc: row.name, exempt: ["wire/x"], judged: true });
  expect(replyOf(event)).toMatchObject({ outcome: "served", request, json: { secret: { name: "s3cret" } } });
});

test("a request whose body is not its JSON is kept beside it", () => {
  const odd = { ...exchange, request: { ...exchange.request, body: Buffer.from("not JSON") } };
  const event = encodeExchange({ ...seen, exchange: odd }, 1, nothing);
  expect(event.call?.asked).toEqual(request);
  expect(replyOf(event)?.request).toEqual(request);
});

test("secrets are replaced in every part, also where one is cut by two chunks", () => {
  const hide = (text: string) => text.replaceAll("s3cret", "xxxxxx");
  const hideBytes = (bytes: Uint8Array) => Buffer.from(hide(Buffer.from(bytes).toString()));
  const odd = { ...exchange, request: { ...exchange.request, body: Buffer.from("s3cret!") } };
  const event = encodeExchange({ ...seen, exchange: odd }, 1, { bytes: hideBytes, text: hide });
  expect(JSON.stringify(event)).not.toContain("s3c");
  expect(event.response?.chunks.map(({ bytes }) => bytes)).toEqual(['{"secret":{"name":"xxx', 'xxx"}}']);
});
