import { expect, test } from "vitest";
import { CustomerUserGrantSchema } from "../../proto/gen/beta/v1/resources_pb.js";
import { comparableText } from "./comparable.ts";

const names = new Set(["attributesJson", "registeredOrigins", "expiresAt", "allowedToolIds"]);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const grant = {
  attributesJson: base64('{"a":1,"b":2}'),
  registeredOrigins: ["https://a:443", "https://b:443"],
  expiresAt: "2026-01-01T00:00:00Z",
  allowedToolIds: [{ value: "01890A5D-AC96-774B-BCCE-B302099A8057" }],
};

test("a store may return a record in another form: the text is the same", () => {
  const other = {
    allowedToolIds: [{ value: "01890a5d-ac96-774b-bcce-b302099a8057" }],
    attributesJson: base64('{ "b": 2, "a": 1 }'),
    expiresAt: "2026-01-01T01:00:00.000+01:00",
    registeredOrigins: ["https://b:443", "https://a:443"],
    externalUserId: "not compared",
  };
  expect(comparableText(other, CustomerUserGrantSchema, names)).toBe(
    comparableText(grant, CustomerUserGrantSchema, names),
  );
});

test.each([
  ["a document", { attributesJson: base64('{"a":1}') }],
  ["a list", { registeredOrigins: ["https://a:443"] }],
  ["a time", { expiresAt: "2026-01-01T00:00:01Z" }],
  ["a field left out", { expiresAt: "" }],
])("%s that differs makes another text", (_what, change) => {
  expect(comparableText({ ...grant, ...change }, CustomerUserGrantSchema, names)).not.toBe(
    comparableText(grant, CustomerUserGrantSchema, names),
  );
});
