import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createCanaryScanner } from "./canaries.ts";

const credential = "hostile_9aB/c+dEfGh~iJkLmNoP=qRs";
const scanner = createCanaryScanner(["another-credential-0123", credential]);
const bytes = Buffer.from(credential);
const find = (text: string | Buffer) => scanner.find(Buffer.from(text));

test.each([
  ["raw", credential],
  ["a part of twelve", `x${credential.slice(7, 19)}x`],
  ["in upper case", credential.toUpperCase()],
  ["in lower case", credential.toLowerCase()],
  ["reversed", [...credential].reverse().join("")],
  ["base64", bytes.toString("base64")],
  ["base64 after one byte", Buffer.from(`:${credential}:`).toString("base64")],
  ["base64 after two bytes", Buffer.from(`::${credential}:`).toString("base64")],
  ["base64url", bytes.toString("base64url")],
  ["hex", bytes.toString("hex")],
  ["hex in upper case", bytes.toString("hex").toUpperCase()],
  ["percent-encoded", encodeURIComponent(credential)],
  ["percent-encoded in every byte", [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
  ["JSON-escaped", credential.replaceAll("/", "\\/")],
  ["JSON-escaped in every letter", [...bytes].map((byte) => `\\u00${byte.toString(16)}`).join("")],
  ["as a list of numbers", `[${[...bytes].join(", ")}]`],
  ["gzip", gzipSync(credential)],
  ["gzip in base64", `{"body":"${gzipSync(credential).toString("base64")}"}`],
  ["base64 of base64", Buffer.from(bytes.toString("base64")).toString("base64")],
  ["hex in base64", Buffer.from(bytes.toString("hex")).toString("base64")],
])("finds a credential %s", (_, text) => {
  expect(find(text).map(({ credential: found }) => found)).toContain(1);
});

test.each([
  ["a part of eleven", credential.slice(3, 14)],
  ["its label", "Bearer <alpha api key>"],
  ["random bytes", randomBytes(200_000)],
  ["random base64", randomBytes(200_000).toString("base64")],
  ["nothing", ""],
])("finds none in %s", (_, text) => {
  expect(find(text)).toEqual([]);
});
