import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { createSurrogates } from "./surrogate.ts";

const secret = "whsec_Ab3dEf6hIj9kLm2nOp5q-Rs8tUv/1wXyZ";
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

test("a surrogate has the length and the classes of its secret, and is the same every time", () => {
  const surrogates = createSurrogates();
  const surrogate = surrogates.add(secret);
  expect(surrogate).not.toBe(secret);
  expect(surrogate.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/[0-9]/g, "0")).toBe(
    secret.replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/[0-9]/g, "0"),
  );
  expect(surrogates.add(secret)).toBe(surrogate);
  expect(createSurrogates().add(secret)).not.toBe(surrogate);
});

test.each([
  ["raw", (value: string) => value],
  ["JSON", (value: string) => JSON.stringify(value)],
  ["percent", (value: string) => encodeURIComponent(value)],
  ["hex", (value: string) => Buffer.from(value).toString("hex")],
  ["HEX", (value: string) => Buffer.from(value).toString("hex").toUpperCase()],
  ["base64", (value: string) => Buffer.from(value).toString("base64")],
  ["base64 within", (value: string) => Buffer.from(`a:${value}:b`).toString("base64")],
  ["base64url within", (value: string) => Buffer.from(`ab:${value}:b`).toString("base64url")],
  ["reversed", (value: string) => [...value].reverse().join("")],
  ["a piece", (value: string) => value.slice(3, 30)],
])("a secret spelled as %s is replaced by its surrogate in the same encoding", (_form, spell) => {
  const surrogates = createSurrogates();
  const surrogate = surrogates.add(secret);
  const before = Buffer.from(`{"x":"${spell(secret)}","y":1}`);
  const after = surrogates.replaceIn(before);
  expect(after.byteLength).toBe(before.byteLength);
  const guarding = (value: string) => {
    const registry = createSecretRegistry();
    registry.register(value, "it", "credential");
    return registry;
  };
  expect(guarding(secret).find(before)).toHaveLength(1);
  expect(guarding(secret).find(after)).toEqual([]);
  expect(guarding(surrogate).find(after)).toHaveLength(1);
});

test("bytes without a secret stay the very same; bytes around one, and several, stay", () => {
  const surrogates = createSurrogates();
  const [a, b] = [
    surrogates.add(secret),
    surrogates.add(Buffer.from([1, 2, 200, 201, 65, 66, 67, 68, 69, 70, 71, 72, 73])),
  ];
  const plain = Buffer.from("nothing of the kind stands here, at any length");
  expect(surrogates.replaceIn(plain)).toBe(plain);
  expect(text(surrogates.replaceIn(Buffer.from(`é ${secret}${secret} ü`)))).toBe(`é ${a}${a} ü`);
  expect(b).toHaveLength(13);
});
