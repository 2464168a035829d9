import { type DescMessage, fromJson, fromJsonString, type JsonValue, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorDetailSchema, JobSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { ListSecretsRequestSchema } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { rpcs } from "../../proto/rpcs.ts";
import { validField, validMessage } from "./arbitrary.ts";
import { messagesUnderTest } from "./messages.testing.ts";

const runs = { numRuns: 25 };

describe("valid messages", () => {
  test.for(messagesUnderTest)("of $typeName are accepted, and canonical but for default values", (message) => {
    fc.assert(
      fc.property(validMessage(message), (json) => {
        const parsed = fromJsonString(message, JSON.stringify(json));
        expect(toJson(message, parsed, { alwaysEmitImplicit: true })).toEqual(json);
      }),
      { numRuns: 10 },
    );
  });

  test("have a value in every field, and one member of each oneof", () => {
    const watch = rpcs.find((row) => row.method === "WatchJob")?.output as DescMessage;
    fc.assert(
      fc.property(validMessage(JobSchema), (json) => Object.keys(json).length === JobSchema.fields.length),
      runs,
    );
    const members = fc.sample(validMessage(watch), { numRuns: 50, seed: 1 }).map((json) => Object.keys(json).join());
    expect(new Set(members)).toEqual(new Set(["job", "heartbeat"]));
  });

  test("are the same for the same seed", () => {
    const draw = () => fc.sample(validMessage(JobSchema), { numRuns: 20, seed: 77 });
    expect(draw()).toEqual(draw());
    expect(draw()).not.toEqual(fc.sample(validMessage(JobSchema), { numRuns: 20, seed: 78 }));
  });

  test("stay valid while they shrink", () => {
    const seen: JsonValue[] = [];
    const property = fc.property(validMessage(ErrorDetailSchema), (json) => {
      seen.push(json);
      return false;
    });
    for (const seed of [1, 2, 3]) fc.check(property, { seed });
    expect(seen.length).toBeGreaterThan(20);
    for (const json of seen) fromJson(ErrorDetailSchema, json);
  });
});

describe("overrides", () => {
  const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

  test("replace a field, and a field of a message, and no other", () => {
    const overridden = validMessage(ListSecretsRequestSchema, {
      workspaceId: fc.constant(id),
      "page.cursor": fc.constant("next"),
    });
    for (const json of fc.sample(overridden, { numRuns: 10, seed: 1 })) {
      expect(json).toEqual({ workspaceId: id, page: { pageSize: expect.any(Number), cursor: "next" } });
    }
  });

  test("for fields that are not there are refused", () => {
    const constant = fc.constant("x");
    expect(() => validMessage(ListSecretsRequestSchema, { workspace: constant })).toThrow("no field workspace");
    expect(() => validMessage(ListSecretsRequestSchema, { "page.size": constant })).toThrow("no field size");
    expect(() => validMessage(JobSchema, { "createdAt.seconds": constant })).toThrow("no field createdAt.seconds");
  });
});

test("a field's values come alone, too", () => {
  const [reason] = ErrorDetailSchema.fields;
  const names = new Set(
    fc.sample(validField(reason as (typeof ErrorDetailSchema.fields)[number]), { numRuns: 300, seed: 1 }),
  );
  expect(names.size).toBe(15);
});
