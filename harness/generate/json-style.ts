import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Shape, shapeOf } from "./shape.ts";

/** How to write a message in another than the canonical form. Each function returns JSON text. */
export interface JsonStyle {
  /** The key of a field, quotes included. Default: its JSON name. */
  readonly key?: (field: DescField) => string;
  /** Any string of a string field, a map key or a map value. */
  readonly text?: (value: string) => string;
  /** A value of this kind, given as its canonical JSON. */
  readonly values?: { readonly [Kind in Shape["kind"]]?: (value: JsonValue, shape: Shape) => string };
  /** The members of a message, keys and values already written, in the order of the canonical form. */
  readonly members?: (members: readonly string[], message: DescMessage, object: JsonObject) => readonly string[];
}

/**
 * Writes a message, given in canonical ProtoJSON, in a style.
 * @throws on a key that the message does not have: an unknown field has no equivalent spelling
 */
export function writeJson(message: DescMessage, object: JsonObject, style: JsonStyle): string {
  const members = Object.entries(object).map(([name, value]) => {
    const field = message.fields.find((each) => each.jsonName === name);
    if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
    return `${writeKey(field, style)}:${value === null ? "null" : writeField(field, value, style)}`;
  });
  return `{${(style.members?.(members, message, object) ?? members).join(",")}}`;
}

/** The key of a field in a style, quotes included. */
export function writeKey(field: DescField, style: JsonStyle): string {
  return style.key?.(field) ?? JSON.stringify(field.jsonName);
}

function writeField(field: DescField, value: JsonValue, style: JsonStyle): string {
  const shape = shapeOf(field);
  const write = (one: JsonValue) => writeValue(shape, one, style);
  if (field.fieldKind === "list") return `[${(value as JsonValue[]).map(write).join(",")}]`;
  if (field.fieldKind !== "map") return write(value);
  const text = style.text ?? JSON.stringify;
  const entries = Object.entries(value as JsonObject).map(([key, one]) => `${text(key)}:${write(one)}`);
  return `{${entries.join(",")}}`;
}

function writeValue(shape: Shape, value: JsonValue, style: JsonStyle): string {
  const write = style.values?.[shape.kind];
  if (write !== undefined) return write(value, shape);
  if (shape.kind === "message") return writeJson(shape.message, value as JsonObject, style);
  if (shape.kind === "string" && style.text !== undefined) return style.text(value as string);
  return JSON.stringify(value);
}
