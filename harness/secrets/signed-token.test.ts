import { expect, test } from "vitest";
import { createSecretRegistry } from "./registry.ts";
import { secretPartOf } from "./signed-token.ts";

const encoded = (text: string) => Buffer.from(text).toString("base64url");
const id = "01a20ac5-b996-7002-a6a3-43c4151cdaed";
const signature = "q3V0hXn2sTz8LwYpKd71mBfGcR4uJxEaN6oHiQvS5tU";
const token = [encoded('{"alg":"HS256"}'), encoded(JSON.stringify({ sub: id, scope: "runs:read" })), signature].join(
  ".",
);

test("the secret part of a signed token is its signature, that of anything else is all of it", () => {
  expect(secretPartOf(token)).toBe(signature);
  expect(secretPartOf(Buffer.from(token))).toBe(signature);
  const [, claims = ""] = token.split(".");
  for (const said of [claims, `bt.${claims}`, `${claims}.aR2f9Q`])
    expect(secretPartOf(`${said}.${signature}`)).toBe(signature);
  const unsigned = token.slice(0, -signature.length);
  for (const other of [
    unsigned,
    `x${signature}.${signature}`,
    `${token}.x`,
    "beta_bt_0123456789.abcdef.0123456789abcdef01234567",
  ])
    expect(secretPartOf(other)).toBe(other);
});

test("a signed token is found whole, by its signature and encoded; what its claims say is not", () => {
  const registry = createSecretRegistry();
  registry.register(token, "the token", "issued credential");
  const found = [
    token,
    `Bearer ${token}`,
    signature,
    encoded(`{"token":"${token}"}`),
    Buffer.from(token).toString("hex"),
  ];
  for (const text of found) expect(registry.find(text)).toMatchObject([{ label: "the token" }]);
  const claimsAlone = token.split(".", 2).join(".");
  for (const text of [claimsAlone, encoded(`{"sub":"${id}"}`), id]) expect(registry.find(text)).toEqual([]);
  expect(registry.redact(claimsAlone)).toBe("<part of the token>");
});
