import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretRegistry } from "./secrets.ts";

const secret = "kJ8#x/+é secret-0123456789";
const registry = createSecretRegistry();
registry.register(secret, "the secret", "secret value");

const forms: Readonly<Record<string, string>> = {
  raw: `before ${secret} after`,
  "JSON-escaped": JSON.stringify({ a: `x"${secret}` }),
  "percent-encoded": `?q=${encodeURIComponent(secret)}`,
  hex: Buffer.from(secret).toString("hex"),
  "upper-case hex": Buffer.from(secret).toString("hex").toUpperCase(),
  base64: Buffer.from(secret).toString("base64"),
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

test("finds bytes that are no text", () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, index) => 255 - index);
  const binary = createSecretRegistry();
  binary.register(bytes, "the bytes", "secret value");
  expect(binary.find(Buffer.concat([Buffer.from("x"), bytes]))).toMatchObject([{ label: "the bytes" }]);
  expect(binary.find(Buffer.from(bytes).toString("base64"))).toMatchObject([{ label: "the bytes" }]);
});
