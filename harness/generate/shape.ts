import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/** The JSON form of one value: of a singular field, of a list's element, of a map's value. */
export type Shape =
  | { readonly kind: "string" | "bytes" | "bool" | "uint32" | "int64" | "uint64" | "timestamp" | "duration" }
  | { readonly kind: "enum"; readonly enum: DescEnum }
  | { readonly kind: "message"; readonly message: DescMessage };

/**
 * The shape of a field's value, or of one element where the field is a list or a map.
 * Throws on types the contract's wire conventions do not have (floating point, 32-bit signed and fixed-size integers).
 */
export function shapeOf(field: DescField): Shape {
  if (field.message !== undefined) return messageShape(field.message);
  if (field.enum !== undefined) return { kind: "enum", enum: field.enum };
  switch (field.scalar) {
    case ScalarType.STRING:
      return { kind: "string" };
    case ScalarType.BYTES:
      return { kind: "bytes" };
    case ScalarType.BOOL:
      return { kind: "bool" };
    case ScalarType.UINT32:
      return { kind: "uint32" };
    case ScalarType.INT64:
      return { kind: "int64" };
    case ScalarType.UINT64:
      return { kind: "uint64" };
    default:
      throw new Error(`${field} has a type the contract does not use`);
  }
}

function messageShape(message: DescMessage): Shape {
  if (message.typeName === "google.protobuf.Timestamp") return { kind: "timestamp" };
  if (message.typeName === "google.protobuf.Duration") return { kind: "duration" };
  return { kind: "message", message };
}

/** The contract's id message: an object whose one field `value` is the text of a UUID. */
export function isUuid(message: DescMessage): boolean {
  return message.name === "UUIDv7";
}
