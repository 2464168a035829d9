import { type DescFile, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Cost, CredentialKind, Execution, errorDetails, errorReasons, PayloadAccess, rpcs, services } from "./rpcs.ts";
import { alpha } from "./transcript/alpha.ts";
import { beta } from "./transcript/beta.ts";
import { readLine, writeFields } from "./transcript/notation.ts";

/** Counted on the documents by hand. */
const counts = {
  "alpha.v1": { services: 6, rpcs: 29, streams: 2, messages: 13, enums: 6 },
  "beta.v1": { services: 10, rpcs: 47, streams: 2, messages: 24, enums: 9 },
};

/** Every file of the package: those of its services and the resources they import. */
function filesOf(packageName: string): DescFile[] {
  const files = services.flatMap(({ file }) => [file, ...file.dependencies]);
  return [...new Set(files)].filter((file) => file.proto.package === packageName);
}

describe.each([alpha, beta])("$package is in protobuf what its document says", (document) => {
  const files = filesOf(document.package);
  const messages = new Map(files.flatMap((file) => file.messages.map((message) => [message.name, message])));
  const enums = new Map(files.flatMap((file) => file.enums.map((each) => [each.name, each])));
  const rows = new Map(rpcs.filter((row) => row.package === document.package).map((row) => [row.name, row]));
  const lines = Object.entries(document.services).flatMap(([service, table]) =>
    table.map((line) => readLine(document.package, service, line)),
  );
  const count = counts[document.package];

  test("has the documented number of everything", () => {
    expect({
      services: services.filter((service) => service.file.proto.package === document.package).length,
      rpcs: rows.size,
      streams: [...rows.values()].filter((row) => row.stream).length,
      messages: messages.size - 1 - 2 * rows.size,
      enums: enums.size,
    }).toEqual(count);
    expect(lines).toHaveLength(count.rpcs);
    expect(Object.keys(document.messages)).toHaveLength(count.messages);
    expect(Object.keys(document.enums)).toHaveLength(count.enums);
  });

  test("has the RPCs in the document's order", () => {
    expect([...rows.keys()]).toEqual(lines.map((line) => line.name));
  });

  test.each(lines)("$name", (line) => {
    const row = rows.get(line.name);
    if (row === undefined) throw new Error(`${line.name} is not in the protobuf form`);
    expect({
      name: row.path.slice(1),
      stream: row.stream,
      scope: row.scope,
      credentials: row.credentials.map((kind) => CredentialKind[kind]),
      payloadAccess: PayloadAccess[row.payloadAccess],
      cost: Cost[row.cost],
      execution: Execution[row.execution],
      request: writeFields(row.input),
      response: writeFields(row.output),
      oneOf: row.output.fields.every((field) => field.oneof !== undefined),
    }).toEqual(line);
    expect(row.input.oneofs).toEqual([]);
    expect(row.descriptor.methodKind).toBe(line.stream ? "server_streaming" : "unary");
    expect(row.fixture).toBe(row.service === "PublicTestFixtureService");
    expect([row.input.name, row.output.name]).toEqual([`${row.method}Request`, `${row.method}Response`]);
  });

  test.each(Object.entries(document.messages))("message %s", (name, fields) => {
    const message = messages.get(name);
    expect(message && writeFields(message)).toEqual(fields.split("; "));
    expect(message?.oneofs).toEqual([]);
  });

  test("a UUID is a message with one string, value", () => {
    expect(messages.get("UUIDv7")?.fields.map(({ jsonName, scalar }) => [jsonName, scalar])).toEqual([
      ["value", ScalarType.STRING],
    ]);
  });

  test.each(Object.entries(document.enums))("enum %s", (name, values) => {
    const [prefix, list] = values.split(": ");
    const actual = enums.get(name)?.values;
    expect(actual?.map((value) => value.name)).toEqual(list?.split(" ").map((value) => `${prefix}${value}`));
    expect(actual?.map((value) => value.number)).toEqual(actual?.map((_, index) => index));
  });

  test("numbers its fields in the document's order", () => {
    for (const message of messages.values()) {
      const expected = message.fields.map((_, index) => index + 1);
      expect(
        message.fields.map((field) => field.number),
        message.typeName,
      ).toEqual(expected);
    }
  });

  test("names its own ErrorDetail and ErrorReason", () => {
    expect(errorDetails[document.package]).toBe(messages.get("ErrorDetail"));
    expect(errorReasons[document.package]).toBe(enums.get("ErrorReason"));
  });
});
