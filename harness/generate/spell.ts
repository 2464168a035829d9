import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Shape, shapeOf } from "./shape.ts";

/** How to write a message where it departs from the canonical form; each part returns JSON text. */
export interface Style {
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
 * Writes a message given in canonical ProtoJSON in another style. Keys the message does not have throw: a spelling of
 * something unknown would not be equivalent to anything.
 */
export function spell(message: DescMessage, object: JsonObject, style: Style): string {
  const members = Object.entries(object).map(([name, value]) => {
    const field = message.fields.find((each) => each.jsonName === name);
    if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
    return `${keyOf(field, style)}:${value === null ? "null" : spellField(field, value, style)}`;
  });
  return `{${(style.members?.(members, message, object) ?? members).join(",")}}`;
}

/** The key of a field in a style. */
export function keyOf(field: DescField, style: Style): string {
  return style.key?.(field) ?? JSON.stringify(field.jsonName);
}

function spellField(field: DescField, value: JsonValue, style: Style): string {
  const shape = shapeOf(field);
  const write = (one: JsonValue) => spellValue(shape, one, style);
  if (field.fieldKind === "list") return `[${(value as JsonValue[]).map(write).join(",")}]`;
  if (field.fieldKind !== "map") return write(value);
  const text = style.text ?? JSON.stringify;
  const entries = Object.entries(value as JsonObject).map(([key, one]) => `${text(key)}:${write(one)}`);
  return `{${entries.join(",")}}`;
}

function spellValue(shape: Shape, value: JsonValue, style: Style): string {
  const special = style.values?.[shape.kind];
  if (special !== undefined) return special(value, shape);
  if (shape.kind === "message") return spell(shape.message, value as JsonObject, style);
  if (shape.kind === "string" && style.text !== undefined) return style.text(value as string);
  return JSON.stringify(value);
}
