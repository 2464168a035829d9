import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { scalarBreaches } from "./scalar-form.ts";

test.each<[ScalarType, JsonValue]>([
  [ScalarType.INT64, "-9223372036854775808"],
  [ScalarType.UINT64, "18446744073709551615"],
  [ScalarType.UINT32, 4_294_967_295],
  [ScalarType.INT32, -2_147_483_648],
  [ScalarType.BOOL, false],
  [ScalarType.STRING, "\u{1f468}"],
  [ScalarType.BYTES, "+/8="],
  [ScalarType.BYTES, ""],
])("type %i may be %j", (type, value) => {
  expect(scalarBreaches(type, value, "x")).toEqual([]);
});

test.each<[ScalarType, JsonValue, string]>([
  [ScalarType.INT64, 1, "*.wire.int64"],
  [ScalarType.INT64, "01", "*.wire.int64"],
  [ScalarType.INT64, "9223372036854775808", "json.reply.range"],
  [ScalarType.UINT64, "-1", "json.reply.range"],
  [ScalarType.UINT32, "1", "*.wire.u32"],
  [ScalarType.UINT32, 4_294_967_296, "json.reply.range"],
  [ScalarType.UINT32, 0.5, "json.reply.range"],
  [ScalarType.INT32, 2_147_483_648, "json.reply.range"],
  [ScalarType.BOOL, "true", "json.reply.scalars"],
  [ScalarType.STRING, 1, "json.reply.scalars"],
  [ScalarType.STRING, "\ud800", "json.reply.scalars"],
  [ScalarType.BYTES, [1], "*.wire.bytes"],
  [ScalarType.BYTES, "!!!!", "*.wire.bytes"],
  [ScalarType.BYTES, "-_8=", "json.reply.base64"],
  [ScalarType.BYTES, "+/8", "json.reply.base64"],
])("type %i must not be %j: %s", (type, value, clause) => {
  expect(scalarBreaches(type, value, "a.b")).toMatchObject([{ clause, at: "a.b" }]);
});

test("a type the contract does not use is an error", () => {
  expect(() => scalarBreaches(ScalarType.DOUBLE, 1, "x")).toThrow("DOUBLE");
});
