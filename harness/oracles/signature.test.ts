import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { isSignedBy, recogniseSignature, type SignedRequest } from "./signature.ts";

const body = '{"type":"job.succeeded"}';
const bytes = Buffer.from("0123456789abcdefghijklmn");
const secret = `whsec_${bytes.toString("base64")}`;

const delivered = (headers: Readonly<Record<string, string>>): SignedRequest => ({
  headers: { host: "127.0.0.1", "content-type": "application/json", ...headers },
  body: Buffer.from(body),
});

const hmac = (key: Uint8Array | string, signed: string) => createHmac("sha256", key).update(signed).digest();

const requests: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["the body, as GitHub does", { "x-hub-signature-256": `sha256=${hmac(secret, body).toString("hex")}` }],
  [
    "a time in the same header, as Stripe does",
    {
      "x-signature": `t=1700000000,v1=${hmac(secret, `1700000000.${body}`).toString("hex")}`,
    },
  ],
  [
    "an id and a time, as Standard Webhooks do",
    {
      "webhook-id": "msg_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${hmac(bytes, `msg_1.1700000000.${body}`).toString("base64")}`,
    },
  ],
];

test.each(requests)("recognises a signature over %s", (_what, headers) => {
  const request = delivered(headers);
  const scheme = recogniseSignature(request, secret);
  expect(scheme && isSignedBy(request, scheme, secret)).toBe(true);
  expect(scheme && isSignedBy(request, scheme, "whsec_another")).toBe(false);
});

test("recognises nothing in what is signed with another secret, or not at all", () => {
  expect(recogniseSignature(delivered({ "x-signature": "none" }), secret)).toBeUndefined();
  expect(recogniseSignature(delivered({ "x-signature": hmac("other", body).toString("hex") }), secret)).toBeUndefined();
  expect(recogniseSignature(delivered({}), "")).toBeUndefined();
});
