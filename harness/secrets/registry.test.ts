import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base32Of } from "./base32.testing.ts";
import { createSecretRegistry } from "./registry.ts";

const secret = "kJ8#x/+é secret-0123456789";
const registry = createSecretRegistry();
registry.register(secret, "the secret", "secret value");

/** Letters by turns plain and in upper case. */
const mixedCase = (text: string) =>
  [...text].map((letter, index) => (index % 2 === 0 ? letter : letter.toUpperCase())).join("");
const bytesOfSecret = Buffer.from(secret);
const everyByte = (write: (byte: number) => string) => [...bytesOfSecret].map(write).join("");
const hexOf = (byte: number) => byte.toString(16).padStart(2, "0");
const everyUnit = (write: (unit: number) => string) =>
  Array.from({ length: secret.length }, (_, index) => write(secret.charCodeAt(index))).join("");

const forms: Readonly<Record<string, string>> = {
  "hex in mixed case": mixedCase(bytesOfSecret.toString("hex")),
  "hex in mixed case behind a word": `trace-${mixedCase(bytesOfSecret.toString("hex"))}-end`,
  "hex after an odd digit": `f${mixedCase(bytesOfSecret.toString("hex"))}0`,
  "with every letter escaped": `{"a":"${everyUnit((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)}"}`,
  "with every letter escaped in capitals": everyUnit(
    (unit) => `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`,
  ),
  "with some letters escaped": everyUnit((unit) =>
    unit % 2 === 0 || unit > 127 ? `\\u${unit.toString(16).padStart(4, "0")}` : String.fromCharCode(unit),
  ),
  "with every byte percent-encoded": everyByte((byte) => `%${hexOf(byte)}`),
  "percent-encoded in lower case": everyByte((byte) =>
    byte % 3 === 0 || byte > 127 || byte === 0x25 ? `%${hexOf(byte)}` : String.fromCharCode(byte),
  ),
  "base64 of base64": Buffer.from(`x${bytesOfSecret.toString("base64")}y`).toString("base64"),
  "base64url of hex": Buffer.from(`{"after":"${bytesOfSecret.toString("hex")}"}`).toString("base64url"),
  "base64 of what is escaped": Buffer.from(everyUnit((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)).toString(
    "base64",
  ),
  "base64 behind a prefix of its alphabet": `cursor_${Buffer.from(bytesOfSecret.toString("hex")).toString("base64url")}`,
  "percent-encoded base64": encodeURIComponent(Buffer.from(`?${secret}`).toString("base64")),
  "base64 of UTF-16": Buffer.from(secret, "utf16le").toString("base64"),
  "hex of UTF-16 in the other order": Buffer.from(secret, "utf16le").swap16().toString("hex"),
  "UTF-16": `id ${Buffer.from(secret, "utf16le").toString("latin1")}`,
  "base64 of gzip": gzipSync(secret).toString("base64"),
  base32: base32Of(bytesOfSecret),
  "base32 in small letters, behind letters of its alphabet": `key${base32Of(bytesOfSecret).toLowerCase()}`,
  "HTML-escaped": secret.replace("é", "&eacute;").replace("#", "&#35;").replace("/", "&#x2F;"),
  "with every letter HTML-escaped": everyUnit((unit) => `&#${unit};`),
  "in octal": everyByte((byte) => `\\${byte.toString(8).padStart(3, "0")}`),
  "in octal within JSON": JSON.stringify(everyByte((byte) => `\\${byte.toString(8).padStart(3, "0")}`)),
  "in escapes of source code": everyByte((byte) => `\\x${hexOf(byte)}`),
  "a prefix in base64": bytesOfSecret.subarray(0, 20).toString("base64"),
  "a prefix in hex": bytesOfSecret.subarray(0, 14).toString("hex"),

  raw: `before ${secret} after`,
  "JSON-escaped": JSON.stringify({ a: `x"${secret}` }),
  "percent-encoded": `?q=${encodeURIComponent(secret)}`,
  hex: Buffer.from(secret).toString("hex"),
  "upper-case hex": Buffer.from(secret).toString("hex").toUpperCase(),
  base64: Buffer.from(secret).toString("base64"),
  "base64 shifted by one": Buffer.from(`a${secret}`).toString("base64"),
  "base64 inside a longer text": Buffer.from(`ab${secret}cd`).toString("base64"),
  base64url: Buffer.from(`a${secret}`).toString("base64url"),
  "a long prefix": secret.slice(0, 24),
};

describe("find", () => {
  test.each(Object.entries(forms))("finds it %s", (_form, text) => {
    expect(registry.find(text)).toMatchObject([{ label: "the secret", kind: "secret value" }]);
  });

  test("finds it wherever it begins", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => registry.find(before + secret + after).length === 1),
    );
  });

  test("finds nothing in other texts", () => {
    fc.assert(fc.property(fc.string(), (text) => registry.find(text).length === 0));
  });

  test("leaves values alone that are too short to be told from chance", () => {
    const short = createSecretRegistry();
    short.register("abc", "short", "secret value");
    expect(short.find("abc")).toEqual([]);
  });
});

describe("redact", () => {
  test.each(Object.entries(forms))("leaves nothing of it %s", (_form, text) => {
    const redacted = registry.redact(text);
    expect(registry.find(redacted)).toEqual([]);
    expect(redacted).toContain("the secret");
  });
});

describe("of a secret of thousands of bytes", () => {
  const long = Array.from({ length: 400 }, (_, at) => `é"/+ ${at * 7919} `).join("");
  const part = Buffer.from(long).subarray(3000, 3060);
  const ofLong = createSecretRegistry();
  ofLong.register(long, "the long secret", "secret value");
  const spelled: Readonly<Record<string, string>> = {
    raw: part.toString(),
    hex: part.toString("hex"),
    "upper-case hex": part.toString("hex").toUpperCase(),
    base64: part.toString("base64"),
    "base64 inside a longer text": Buffer.from(`ab${part}cd`).toString("base64"),
    base64url: Buffer.from(`a${part}`).toString("base64url"),
    "JSON-escaped": JSON.stringify({ a: part.toString() }),
    "percent-encoded": `?q=${encodeURIComponent(part.toString())}`,
    reversed: [...part.toString()].reverse().join(""),
  };
  test.each(Object.entries(spelled))("a part is found %s, and nothing of it left", (_form, text) => {
    expect(ofLong.find(text)).toMatchObject([{ label: "the long secret" }]);
    const redacted = ofLong.redact(text);
    expect(ofLong.find(redacted)).toEqual([]);
    expect(redacted).toContain("the long secret");
  });
});

test("finds bytes that are no text", () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, index) => 255 - index);
  const binary = createSecretRegistry();
  binary.register(bytes, "the bytes", "secret value");
  expect(binary.find(Buffer.concat([Buffer.from("x"), bytes]))).toMatchObject([{ label: "the bytes" }]);
  expect(binary.find(Buffer.from(bytes).toString("base64"))).toMatchObject([{ label: "the bytes" }]);
});

test("takes bytes that are no text for no others", () => {
  const binary = createSecretRegistry();
  binary.register(
    Uint8Array.from({ length: 40 }, (_, index) => 255 - index),
    "the bytes",
    "secret value",
  );
  const other = Uint8Array.from({ length: 40 }, (_, index) => 128 + ((index * 7) % 64));
  expect(binary.find(Buffer.concat([Buffer.from(String.raw`{"a":"\u00e9 \"x\""`), other]))).toEqual([]);
  expect(binary.find(Buffer.from(String.raw`"\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"`))).toEqual(
    [],
  );
});

test("a word that anybody may say is no sign of a key that holds it; the rest of the key is", () => {
  const named = createSecretRegistry();
  named.allow("test-fixture:execute");
  const key = "key-of-test-fixture-Zq81kd02Lx77pQm3";
  named.register(key, "the key", "credential");
  const id = "public-test-fixture";
  expect(named.find(id)).toEqual([]);
  expect(named.find(Buffer.from(`["${id}"]`).toString("base64"))).toEqual([]);
  expect(named.find(key)).toMatchObject([{ label: "the key" }]);
  expect(named.find(Buffer.from(key).toString("base64"))).toMatchObject([{ label: "the key" }]);
  expect(named.redact(`you sent ${key}`)).toBe("you sent <the key>");
});

test("a signing secret is found by the bytes that it encodes", () => {
  const key = Buffer.from("9f8e7d6c5b4a39281706f5e4d3c2b1a0ffeeddccbbaa9988", "hex");
  const own = createSecretRegistry();
  own.register(`whsec_${key.toString("base64")}`, "the signing secret", "signing secret");
  expect(own.find(`key ${key.toString("hex")}`)).toMatchObject([{ label: "the signing secret" }]);
  expect(own.leak(`key ${key.toString("hex")}`)).toContain("the signing secret");
});
