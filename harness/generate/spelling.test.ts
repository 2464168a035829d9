import { equals, fromJson, fromJsonString, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CreateArtifactUploadRequestSchema,
  CreateArtifactUploadResponseSchema,
} from "../../proto/gen/alpha/v1/artifact_service_pb.js";
import { ListJobsRequestSchema } from "../../proto/gen/alpha/v1/job_service_pb.js";
import { CreateSecretRequestSchema, ListSecretsRequestSchema } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { validMessage } from "./arbitrary.ts";
import { messagesUnderTest } from "./messages.testing.ts";
import { equivalentSpellings } from "./spelling.ts";

const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

describe("equivalent spellings", () => {
  test.for(messagesUnderTest)("of $typeName parse to an equal message, whole or with fields left out", (message) => {
    const names = message.fields.map((field) => field.jsonName);
    fc.assert(
      fc.property(validMessage(message), fc.subarray(names), (whole, kept) => {
        for (const json of [whole, only(whole, kept)]) {
          const expected = fromJson(message, json);
          for (const { name, body } of equivalentSpellings(message, json)) {
            expect(equals(message, fromJsonString(message, body), expected), `${name}: ${body}`).toBe(true);
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  test("are different texts under different names, none of them canonical", () => {
    fc.assert(
      fc.property(validMessage(CreateArtifactUploadRequestSchema), (json) => {
        const spellings = equivalentSpellings(CreateArtifactUploadRequestSchema, json);
        const texts = [JSON.stringify(json), ...spellings.map((each) => each.body)];
        expect(new Set(texts).size).toBe(texts.length);
        expect(new Set(spellings.map((each) => each.name)).size).toBe(spellings.length);
      }),
      { numRuns: 25 },
    );
  });

  test("of a listing", () => {
    const request = { workspaceId: id, page: { pageSize: 5, cursor: "" }, state: "JOB_STATE_QUEUED" };
    const texts = Object.fromEntries(
      equivalentSpellings(ListJobsRequestSchema, request).map((each) => [each.name, each.body]),
    );
    const workspace = `"workspaceId":{"value":"${id.value}"}`;
    expect(texts["keys-reversed"]).toBe(`{"state":"JOB_STATE_QUEUED","page":{"cursor":"","pageSize":5},${workspace}}`);
    expect(texts["proto-names"]).toContain('"workspace_id":{"value":');
    expect(texts["proto-names"]).toContain('"page":{"page_size":5,"cursor":""}');
    expect(texts["explicit-nulls"]).toMatch(/,"miniAppId":null}$/);
    expect(texts["explicit-defaults"]).toMatch(/,"miniAppId":""}$/);
    expect(texts["omitted-defaults"]).toContain('"page":{"pageSize":5}');
    expect(texts["uint32-as-text"]).toContain('"pageSize":"5"');
    expect(texts["uint32-with-point"]).toContain('"pageSize":5.0');
    expect(texts["uint32-with-exponent"]).toContain('"pageSize":5e0');
    expect(texts["escaped-names"]).toContain('"\\u0070\\u0061\\u0067\\u0065":{');
  });

  test("of an enum: absent is its first value, and that is 0", () => {
    const texts = equivalentSpellings(ListJobsRequestSchema, { workspaceId: id });
    expect(texts.find(({ name }) => name === "enum-as-zero")?.body).toMatch(/,"state":0}$/);
  });

  const spelled = (schema: Parameters<typeof equivalentSpellings>[0], json: JsonObject, name: string): JsonValue => {
    const body = equivalentSpellings(schema, json).find((each) => each.name === name)?.body;
    return body === undefined ? null : (JSON.parse(body) as JsonValue);
  };

  test("of bytes", () => {
    const request = { value: "+/+/+w==" };
    expect(spelled(CreateSecretRequestSchema, request, "bytes-unpadded")).toEqual({ value: "+/+/+w" });
    expect(spelled(CreateSecretRequestSchema, request, "bytes-url-safe")).toEqual({ value: "-_-_-w==" });
    expect(spelled(CreateSecretRequestSchema, request, "bytes-url-safe-unpadded")).toEqual({ value: "-_-_-w" });
  });

  test("of times: offsets that stay inside the years, and digits", () => {
    const expiring = (expiresAt: string, name: string) =>
      spelled(CreateArtifactUploadResponseSchema, { expiresAt }, name);
    expect(expiring("2026-01-01T00:00:00.500Z", "timestamp-with-offset")).toEqual({
      expiresAt: "2026-01-01T05:30:00.500+05:30",
    });
    expect(expiring("9999-12-31T23:59:59Z", "timestamp-with-offset")).toEqual({
      expiresAt: "9999-12-31T18:29:59-05:30",
    });
    expect(expiring("0001-01-01T00:00:00Z", "timestamp-with-offset")).toEqual({
      expiresAt: "0001-01-01T05:30:00+05:30",
    });
    expect(expiring("2026-01-01T00:00:00.500Z", "timestamp-nine-digits")).toEqual({
      expiresAt: "2026-01-01T00:00:00.500000000Z",
    });
    expect(expiring("2026-01-01T00:00:00.500Z", "timestamp-fewest-digits")).toEqual({
      expiresAt: "2026-01-01T00:00:00.5Z",
    });
    const retention = { requestedRetention: "-3600.250s" };
    expect(spelled(CreateArtifactUploadRequestSchema, retention, "duration-fewest-digits")).toEqual({
      requestedRetention: "-3600.25s",
    });
  });

  test("of 64-bit integers stop where doubles stop being exact", () => {
    const numbered = (sizeBytes: string) =>
      spelled(CreateArtifactUploadRequestSchema, { sizeBytes }, "int64-as-number");
    expect(numbered("9007199254740992")).toEqual({ sizeBytes: 9007199254740992 });
    expect(numbered("9007199254740993")).toBeNull();
  });

  test("of something the message does not have are refused", () => {
    expect(() => equivalentSpellings(ListSecretsRequestSchema, { workspace: "x" })).toThrow("no field workspace");
  });
});

function only(json: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([name]) => names.includes(name)));
}
