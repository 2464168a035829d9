import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { encodeExchange, replyOf } from "./encode.ts";
import { leftOut, withoutAnswer, withoutBodies, withoutSecrets } from "./left-out.ts";

const row = rpc("alpha.v1.SecretService/GetSecret");
const asIs = { bytes: (bytes: Uint8Array) => bytes, text: (text: string) => text };
const secret = "sw0rdf1sh-and-more";

const body = Buffer.from(`{"secret":{"name":"${secret}"}}`);
const base = exchangeOf({
  body: body.toString(),
  headers: [
    ["x-a", "plain"],
    [`x-${secret}`, "1"],
  ],
});
const request = Buffer.from('{"secretId":"a"}');
const exchange = { ...base, request: { ...base.request, body: request, url: "http://127.0.0.1/a" } };
const event = encodeExchange(
  { by: "a/case x", exchange, call: { row, request: { secretId: "a" }, exempt: [], judged: true } },
  1,
  asIs,
);
const sha256 = createHash("sha256").update(body).digest("hex");

test("what stands for bytes tells their length and hash", () => {
  expect(leftOut(body)).toEqual({ leftOut: body.byteLength, sha256 });
});

test("without its response's body an event is judged no more, and keeps the rest", () => {
  const cut = withoutBodies(event, "size", { response: body });
  expect(cut).toMatchObject({
    withheld: "size",
    call: { judged: false },
    request: { body: request.toString() },
    response: { status: 200, chunks: [{ bytes: { leftOut: body.byteLength, sha256 } }] },
  });
  expect(replyOf(cut)).toBeUndefined();
});

test("of what another origin answered nothing stands but the status, a length and a hash", () => {
  const cut = withoutAnswer({ ...event, failure: { kind: "reset", message: secret } }, leftOut(body));
  expect(JSON.stringify(cut)).not.toContain(secret);
  expect(cut).toMatchObject({
    withheld: "origin",
    response: { status: 200, headers: [], chunks: [{ bytes: { sha256 } }] },
  });
});

test("only those parts that may not stand are left out", () => {
  const mayStand = (text: string | Uint8Array) => !Buffer.from(text as string).includes(secret);
  const cut = withoutSecrets(event, mayStand, { request, response: body });
  expect(JSON.stringify(cut)).not.toContain(secret);
  expect(cut.request.body).toBe(request.toString());
  expect(cut.response?.headers).toEqual([
    ["x-a", "plain"],
    ["<left out: 20 bytes>", "1"],
  ]);
  expect(cut.response?.chunks).toEqual([{ at: expect.any(Number), bytes: { leftOut: body.byteLength, sha256 } }]);
});

test("where that does not suffice, all of them are", () => {
  const cut = withoutSecrets(event, (text) => !String(text).includes('"headers"'), { request, response: body });
  expect(cut.request).toMatchObject({ url: "<left out: 18 bytes>", body: { leftOut: request.byteLength } });
});
