import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { hasContent } from "./content.ts";
import { streamReply, unaryReply } from "./exchange.testing.ts";

const has = (name: string, json: JsonObject, status = 200) => hasContent(unaryReply(name, {}, json, { status }));

test("a message with a value in a field of the contract has content", () => {
  expect(has("alpha.v1.SecretService/GetSecret", { secret: { name: "a" } })).toBe(true);
  expect(has("alpha.v1.SecretService/GetSecret", { secret: { name: "" } })).toBe(false);
  expect(has("alpha.v1.SecretService/GetSecret", { extra: 1 })).toBe(false);
  expect(has("alpha.v1.SecretService/GetSecret", { secret: { name: "a" } }, 404)).toBe(false);
});

test("a listing may be empty, and a watch that ended may have sent nothing", () => {
  expect(has("alpha.v1.SecretService/ListSecrets", {})).toBe(true);
  expect(hasContent(streamReply("alpha.v1.JobService/WatchJob", {}, []))).toBe(true);
  expect(hasContent(streamReply("alpha.v1.PublicTestFixtureService/RunStream", {}, [{}]))).toBe(false);
  expect(hasContent(streamReply("alpha.v1.PublicTestFixtureService/RunStream", {}, [{ sequence: 1 }]))).toBe(true);
});
