import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { redactData } from "./redact.ts";

const key = "key-of-the-caller-8f3a9c1d7e2b";
const secrets = createSecretRegistry();
secrets.register(key, "alpha api key", "credential");

test("takes a credential out of every text, however deep, names of members included", () => {
  const data = { reason: `your key is ${key}`, list: [{ [`x-${key}`]: 1, at: { text: `Bearer ${key}` } }], count: 3 };
  const redacted = redactData(data, secrets);
  expect(JSON.stringify(redacted)).not.toContain(key);
  expect(redacted).toMatchObject({ reason: "your key is <alpha api key>", count: 3 });
  expect(Object.keys(redacted.list[0] ?? {})).toEqual(["x-<alpha api key>", "at"]);
});

test("gives back what holds none as it is", () => {
  const data = { reason: "nothing to hide", list: [null, true, 1] };
  expect(redactData(data, secrets)).toBe(data);
});

test("cuts texts of megabytes before it looks through them, names of members included", () => {
  const long = "no secret at all, ".repeat(200_000);
  const data = { reason: long, list: [{ [long]: 1 }] };
  const before = process.cpuUsage();
  const redacted = redactData(data, secrets);
  const { user, system } = process.cpuUsage(before);
  expect(redacted.reason).toBe(`${long.slice(0, 16_000)}… (3600000 characters in all)`);
  expect(JSON.stringify(redacted).length).toBeLessThan(33_000);
  expect((user + system) / 1e6).toBeLessThan(0.5);
});

test("leaves nothing of a credential where a text is cut", () => {
  const data = { reason: `${"x".repeat(15_980)}${key.toUpperCase()}` };
  expect(redactData(data, secrets).reason).not.toContain(key.toUpperCase().slice(0, 12));
});
