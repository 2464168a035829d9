import { ScalarType } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { JobSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { CreateSecretRequestSchema } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { isUuid, shapeOf } from "./shape.ts";

const fieldOf = (message: typeof JobSchema | typeof CreateSecretRequestSchema, name: string) => {
  const field = message.fields.find(({ jsonName }) => jsonName === name);
  if (field === undefined) throw new Error(`${message.typeName} has no ${name}`);
  return field;
};

test.each([
  ["id", "message"],
  ["state", "enum"],
  ["resourceVersion", "int64"],
  ["progressPercent", "uint32"],
  ["createdAt", "timestamp"],
  ["miniAppId", "string"],
  ["inputArtifactIds", "message"],
])("%s of a job has the shape of a %s", (name, kind) => {
  expect(shapeOf(fieldOf(JobSchema, name)).kind).toBe(kind);
});

test("bytes are a shape of their own, and types the contract does not use are an error", () => {
  const value = fieldOf(CreateSecretRequestSchema, "value");
  expect(shapeOf(value).kind).toBe("bytes");
  expect(() => shapeOf({ ...value, scalar: ScalarType.DOUBLE } as typeof value)).toThrow("does not use");
});

test("the id message is a UUID, others are not", () => {
  const id = shapeOf(fieldOf(JobSchema, "id"));
  expect(id.kind === "message" && isUuid(id.message)).toBe(true);
  expect(isUuid(JobSchema)).toBe(false);
});
