import { describe, expect, test } from "vitest";
import { CustomerUserGrantSchema } from "../../proto/gen/beta/v1/resources_pb.js";
import { unaryReply } from "../wire/exchange.testing.ts";
import { documentFieldsIn, documentIn, holdsDocument, sameDocument } from "./documents.ts";

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");

test("of a grant, attributesJson alone holds a JSON document", () => {
  expect(CustomerUserGrantSchema.fields.filter(holdsDocument).map(({ jsonName }) => jsonName)).toEqual([
    "attributesJson",
  ]);
});

describe("documentIn", () => {
  test("reads JSON in UTF-8, null included", () => {
    expect(documentIn(base64('{"a":"é"}'))).toEqual({ document: { a: "é" } });
    expect(documentIn(base64("null"))).toEqual({ document: null });
  });

  test.each([
    ["nothing", ""],
    ["no text", 5],
    ["no JSON", base64("{a:1}")],
    ["JSON in Latin-1", base64(Buffer.from('{"a":"é"}', "latin1"))],
  ])("finds none in %s", (_what, value) => {
    expect(documentIn(value)).toBeUndefined();
  });
});

test("two documents are the same in any white space and key order, not in another list order", () => {
  expect(sameDocument(base64('{"a":1,"b":[1,2]}'), base64('{ "b": [1, 2], "a": 1 }'))).toBe(true);
  expect(sameDocument(base64('{"b":[1,2]}'), base64('{"b":[2,1]}'))).toBe(false);
  expect(sameDocument(base64("{"), base64("{"))).toBe(false);
  expect(sameDocument(base64('{"a":-0.0}'), base64('{"a":0}'))).toBe(true);
  for (const [one, other] of [
    ['{"a":null}', "{}"],
    ['{"a":0}', '{"a":false}'],
    ["false", "{}"],
    ['{"a":"0A"}', '{"a":"0a"}'],
  ] as const)
    expect(sameDocument(base64(one), base64(other)), `${one} ${other}`).toBe(false);
});

test("the document fields of a reply are those that are not empty", () => {
  const memoryItems = [{ valueJson: "" }, { valueJson: base64("1") }];
  const reply = unaryReply("beta.v1.MemoryService/ListMemoryItems", {}, { memoryItems });
  expect(documentFieldsIn(reply)).toEqual([{ value: base64("1"), at: "memoryItems[1].valueJson" }]);
});
