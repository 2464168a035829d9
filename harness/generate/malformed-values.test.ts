import { type DescField, fromJsonString } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { GetSecretRequestSchema, ListSecretsRequestSchema } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { malformedValues } from "./malformed-values.ts";
import { messagesUnderTest } from "./messages.testing.ts";
import { shapeOf } from "./shape.ts";

const fields = messagesUnderTest.flatMap((message) => message.fields);

function parse(field: DescField, value: unknown) {
  return fromJsonString(field.parent, JSON.stringify({ [field.jsonName]: value }));
}

describe("malformed values", () => {
  test("at level protocol are refused by protobuf-es, whatever the field", () => {
    for (const field of fields) {
      const gating = malformedValues(field).filter((each) => each.level === "protocol");
      expect(gating.length, String(field)).toBeGreaterThan(1);
      for (const { name, value } of gating) {
        expect(() => parse(field, value), `${field} ${name} ${JSON.stringify(value)}`).toThrow();
      }
    }
  });

  test("have kebab-case names, unique in their field, and point into it", () => {
    for (const field of fields) {
      const malformations = malformedValues(field);
      const names = malformations.map((each) => each.name);
      expect(new Set(names).size, String(field)).toBe(names.length);
      expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
      expect(malformations.filter((each) => each.field.split(".")[0] !== field.jsonName)).toEqual([]);
      expect(malformations.filter((each) => !/^PJ-\d\d$/.test(each.row))).toEqual([]);
    }
  });

  test("meet every shape of the contract", () => {
    const kinds = new Set(fields.map((field) => shapeOf(field).kind));
    expect([...kinds].sort()).toEqual([
      "bool",
      "bytes",
      "duration",
      "enum",
      "int64",
      "message",
      "string",
      "timestamp",
      "uint32",
      "uint64",
    ]);
  });

  test("of an id are those of the message and of its text", () => {
    const [, secretId] = GetSecretRequestSchema.fields as [DescField, DescField];
    const malformations = malformedValues(secretId);
    expect(malformations.map((each) => `${each.field} ${each.name} ${each.level}`)).toEqual([
      "secretId text-for-message protocol",
      "secretId number-for-message protocol",
      "secretId bool-for-message protocol",
      "secretId list-for-message protocol",
      "secretId empty-list-for-message protocol",
      "secretId text-list-for-message protocol",
      "secretId empty-text-for-message protocol",
      "secretId.value value-number-for-string protocol",
      "secretId.value value-bool-for-string protocol",
      "secretId.value value-list-for-string protocol",
      "secretId.value value-object-for-string protocol",
    ]);
    expect(malformations.at(-1)?.value).toEqual({ value: { text: "text" } });
  });

  test("reach into messages", () => {
    const page = ListSecretsRequestSchema.fields[1] as DescField;
    expect(malformedValues(page)).toContainEqual(
      expect.objectContaining({ name: "page-size-negative-uint32", field: "page.pageSize", value: { pageSize: -1 } }),
    );
  });

  test("never send what some maintained runtime serves by right", () => {
    const served = ["", "+1", "01", "0x10", "1e3", "1.0", ".5s", "1.s", "+1s", "01s", "1.5sx", "1e3s", "NO_SUCH_NAME"];
    for (const field of fields) {
      const kind = shapeOf(field).kind;
      const values = malformedValues(field)
        .filter((each) => each.level === "protocol" && each.field === field.jsonName)
        .map((each) => each.value);
      expect(values).not.toContain(null);
      for (const value of values) {
        if (kind === "enum" || kind === "duration") expect(served).not.toContain(value);
        if (kind === "int64" || kind === "uint64") expect(served.slice(1)).not.toContain(value);
        if (kind === "bool") expect(["true", "false", 0, 1]).not.toContain(value);
      }
    }
  });
});
