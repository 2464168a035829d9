import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  bytesText,
  durationText,
  int64Text,
  timestampText,
  uint32Number,
  uint64Text,
  unicodeText,
  uuidV7,
} from "./scalars.ts";
import { isUuid, type Shape, shapeOf } from "./shape.ts";

/** Arbitraries to use for some fields, by path in JSON: `name`, `page.cursor`. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<JsonValue>>>;

/**
 * Messages in canonical ProtoJSON with a well-formed value in every field, and exactly one member of each oneof. Values
 * cover the whole type, as the contract states no further constraints: override fields that must name an existing thing.
 * @throws on an override for a field that the message does not have
 */
export function validMessage(message: DescMessage, overrides: Overrides = {}): fc.Arbitrary<JsonObject> {
  requireKnown(message, overrides);
  const arbitraryOf = (field: DescField): fc.Arbitrary<JsonValue> =>
    overrides[field.jsonName] ?? fieldArbitrary(field, nestedOverrides(overrides, field.jsonName));
  const plain = recordOf(message.fields.filter((field) => field.oneof === undefined).map(withArbitrary));
  const choices = message.oneofs.map((oneof) =>
    fc.oneof(...oneof.fields.map((field) => recordOf([withArbitrary(field)]))),
  );
  if (choices.length === 0) return plain;
  return fc.tuple(plain, ...choices).map((parts) => Object.assign({}, ...parts));

  function withArbitrary(field: DescField): readonly [string, fc.Arbitrary<JsonValue>] {
    return [field.jsonName, arbitraryOf(field)];
  }
}

/** Well-formed values of a field in canonical ProtoJSON: lists of up to 4 elements, maps of up to 4 entries. */
export function validField(field: DescField): fc.Arbitrary<JsonValue> {
  return fieldArbitrary(field, {});
}

function fieldArbitrary(field: DescField, overrides: Overrides): fc.Arbitrary<JsonValue> {
  const one = valueArbitrary(shapeOf(field), overrides);
  if (field.fieldKind === "list") return fc.array(one, { maxLength: 4 });
  if (field.fieldKind !== "map") return one;
  if (field.mapKey !== ScalarType.STRING) throw new Error(`${field} has keys the contract does not use`);
  return fc.dictionary(unicodeText, one, { maxKeys: 4, noNullPrototype: true });
}

function valueArbitrary(shape: Shape, overrides: Overrides): fc.Arbitrary<JsonValue> {
  switch (shape.kind) {
    case "string":
      return unicodeText;
    case "bytes":
      return bytesText;
    case "bool":
      return fc.boolean();
    case "uint32":
      return uint32Number;
    case "int64":
      return int64Text;
    case "uint64":
      return uint64Text;
    case "timestamp":
      return timestampText;
    case "duration":
      return durationText;
    case "enum":
      return fc.constantFrom(...shape.enum.values.map((value) => value.name));
    case "message":
      return validMessage(shape.message, isUuid(shape.message) ? { value: uuidV7, ...overrides } : overrides);
  }
}

function recordOf(entries: readonly (readonly [string, fc.Arbitrary<JsonValue>])[]): fc.Arbitrary<JsonObject> {
  return fc.record(Object.fromEntries(entries), { noNullPrototype: true });
}

/** The overrides for the fields of a nested message, by the rest of their path. */
function nestedOverrides(overrides: Overrides, name: string): Overrides {
  const inside = Object.entries(overrides).filter(([path]) => path.startsWith(`${name}.`));
  return Object.fromEntries(inside.map(([path, arbitrary]) => [path.slice(name.length + 1), arbitrary]));
}

function requireKnown(message: DescMessage, overrides: Overrides): void {
  for (const path of Object.keys(overrides)) {
    const [name, ...rest] = path.split(".");
    const field = message.fields.find((each) => each.jsonName === name);
    const known = field !== undefined && (rest.length === 0 || shapeOf(field).kind === "message");
    if (!known) throw new Error(`${message.typeName} has no field ${path} to override`);
  }
}
