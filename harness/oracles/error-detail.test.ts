import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgeErrorDetail } from "./error-detail.ts";

const requestId = { value: "01990000-0000-7000-8000-00000000000b" };
const sound = { reason: "ERROR_REASON_RESOURCE_NOT_FOUND", requestId };

/** A reason that only who has read the body can give. */
const conflict = "ERROR_REASON_RESOURCE_VERSION_CONFLICT";

function breachesOf(
  debug: JsonObject,
  name = "alpha.v1.SecretService/CreateSecret",
  request: JsonObject = { requestId },
) {
  const body = { code: "not_found", details: [{ type: "alpha.v1.ErrorDetail", value: "", debug }] };
  return judgeErrorDetail(unaryReply(name, request, body, { status: 404 }))?.map(({ clause, at }) => `${clause} ${at}`);
}

test("a reason and the request's own id are no breach, with violations that say where and what", () => {
  expect(breachesOf(sound)).toEqual([]);
  expect(breachesOf({ ...sound, fieldViolations: [{ field: "name", description: "too long" }] })).toEqual([]);
});

test.each<[string, JsonObject, readonly string[]]>([
  ["no request id where the body was read", { reason: conflict }, ["*.errors.request-id detail.requestId"]],
  ["an unknown reason", { ...sound, reason: "GONE" }, ["*.errors.detail detail.reason"]],
  [
    "another request id",
    { ...sound, requestId: { value: requestId.value.replace("b", "c") } },
    ["*.errors.request-id detail.requestId"],
  ],
  [
    "a violation without a description",
    { ...sound, fieldViolations: [{ field: "name" }] },
    ["*.errors.violations detail.fieldViolations[0].description"],
  ],
  [
    "a violation that has field and description swapped",
    { ...sound, fieldViolations: [{ field: "is required", description: "value" }] },
    ["*.errors.violations detail.fieldViolations[0].field"],
  ],
])("finds %s", (_what, debug, breaches) => {
  expect(breachesOf(debug)).toEqual(breaches);
});

test.each<[string, JsonObject, string | undefined]>([
  ["no reason", { requestId }, undefined],
  ["the unspecified reason, which is listed", { ...sound, reason: "ERROR_REASON_UNSPECIFIED" }, undefined],
  ["no request id where the body need not have been read", { reason: "ERROR_REASON_INVALID_ARGUMENT" }, undefined],
  ["no request id where the caller may have been turned away unread", { reason: sound.reason }, undefined],
  ["a later field beside the request id", { ...sound, requestId: { ...requestId, text: "later" } }, undefined],
  ["no request id on a stream", { reason: conflict }, "alpha.v1.PublicTestFixtureService/RunStream"],
])("takes %s", (_what, debug, name) => {
  expect(breachesOf(debug, name)).toEqual([]);
});

test.each([
  { field: "body", description: "too long" },
  { field: "requestId.value", description: "name" },
  { field: "(request)", description: "name is missing" },
])("takes a violation of %o", (violation) => {
  expect(breachesOf({ ...sound, fieldViolations: [violation] })).toEqual([]);
});

test("no request id is expected of a call that has none", () => {
  const { requestId: _, ...withoutId } = sound;
  expect(breachesOf(withoutId, "alpha.v1.SecretService/GetSecret", {})).toEqual([]);
  expect(breachesOf(withoutId, "alpha.v1.SecretService/CreateSecret", {})).toEqual([]);
});

test("nothing is said of a reply without a detail", () => {
  const reply = unaryReply("alpha.v1.SecretService/GetSecret", {}, { code: "not_found" }, { status: 404 });
  expect(judgeErrorDetail(reply)).toBeUndefined();
  expect(judgeErrorDetail(unaryReply("alpha.v1.SecretService/GetSecret", {}, {}))).toBeUndefined();
});
