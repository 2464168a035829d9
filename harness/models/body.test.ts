import { expect, test } from "vitest";
import { CustomerUserGrantSchema } from "../../proto/gen/beta/v1/resources_pb.js";
import { bodyOf } from "./body.ts";

const names = new Set(["attributesJson", "registeredOrigins", "expiresAt", "allowedToolIds"]);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const grant = {
  attributesJson: base64('{"a":1,"b":2}'),
  registeredOrigins: ["https://a:443", "https://b:443"],
  expiresAt: "2026-01-01T00:00:00Z",
  allowedToolIds: [{ value: "01890A5D-AC96-774B-BCCE-B302099A8057" }],
};

test("forms a store may choose make one body", () => {
  const other = {
    allowedToolIds: [{ value: "01890a5d-ac96-774b-bcce-b302099a8057" }],
    attributesJson: base64('{ "b": 2, "a": 1 }'),
    expiresAt: "2026-01-01T01:00:00.000+01:00",
    registeredOrigins: ["https://b:443", "https://a:443"],
    externalUserId: "not compared",
  };
  expect(bodyOf(other, CustomerUserGrantSchema, names)).toBe(bodyOf(grant, CustomerUserGrantSchema, names));
});

test.each([
  ["a document", { attributesJson: base64('{"a":1}') }],
  ["a list", { registeredOrigins: ["https://a:443"] }],
  ["a time", { expiresAt: "2026-01-01T00:00:01Z" }],
  ["a field left out", { expiresAt: "" }],
])("%s that differs makes another body", (_what, change) => {
  expect(bodyOf({ ...grant, ...change }, CustomerUserGrantSchema, names)).not.toBe(
    bodyOf(grant, CustomerUserGrantSchema, names),
  );
});
