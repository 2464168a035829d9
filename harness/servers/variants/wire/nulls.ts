import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** The JSON of a message with null for each of its fields, and of those of its messages, that is not set. */
function withNulls(message: DescMessage, json: JsonObject): JsonObject {
  if (message.typeName.startsWith("google.protobuf.")) return json;
  const nested = (value: JsonValue) => (field: DescMessage | undefined) =>
    field !== undefined && isObject(value) ? withNulls(field, value) : value;
  const fields = message.fields.map((field) => {
    const value = json[field.jsonName];
    if (value === undefined) return [field.jsonName, null] as const;
    const shown = Array.isArray(value) ? value.map((one) => nested(one)(field.message)) : nested(value)(field.message);
    return [field.jsonName, shown] as const;
  });
  return { ...json, ...Object.fromEntries(fields) };
}

/** Fields that are not set, written out. */
export const nullVariants: readonly Variant[] = defineVariants({
  id: "nulls-for-unset-fields",
  says: "writes null for every field that is not set, as JSON libraries without a notion of presence do",
  open: ["json.reply.nulls"],
  decoration: { reply: (json, { row }) => withNulls(row.output, json) },
});
