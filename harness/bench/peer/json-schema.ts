import type { DescField, DescMessage, JsonObject } from "@bufbuild/protobuf";
import { factsOf } from "../../../proto/rpcs.ts";
import { isUuid, type Shape, shapeOf } from "../../generate/shape.ts";

/** Which way a message travels: what may be sent is one thing, what may be answered another. */
export type Way = "request" | "response";

/** Values that are there to be named, by kind (`workspace`, `job`): the texts of UUIDs, or names. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

const uuidV7 = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$";

const scalars: Readonly<Record<Exclude<Shape["kind"], "enum" | "message">, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  uint32: { type: "integer", minimum: 0, maximum: 4_294_967_295 },
  int64: { type: "string", pattern: "^-?(0|[1-9][0-9]{0,18})$" },
  uint64: { type: "string", pattern: "^(0|[1-9][0-9]{0,19})$" },
  bytes: {
    type: "string",
    contentEncoding: "base64",
    pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  },
  timestamp: { type: "string", format: "date-time" },
  duration: { type: "string", pattern: "^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$" },
};

/** The name of a message among the schemas of a document. */
export function componentName(message: DescMessage, way: Way): string {
  return `${way}.${message.typeName}`;
}

function valueSchema(field: DescField, way: Way, known: readonly string[]): JsonObject {
  const shape = shapeOf(field);
  switch (shape.kind) {
    case "enum":
      return { type: "string", enum: shape.enum.values.map(({ name }) => name) };
    case "message":
      if (isUuid(shape.message) && known.length > 0) {
        return { type: "object", properties: { value: { type: "string", enum: [...known] } }, required: ["value"] };
      }
      return { $ref: `#/components/schemas/${componentName(shape.message, way)}` };
    case "string":
      return known.length > 0 ? { type: "string", enum: [...known] } : scalars.string;
    default:
      return scalars[shape.kind];
  }
}

/** Of a response, too, null: absent, null and default read alike (docs/contract/readings.md#13). */
function nullable(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}

function fieldSchema(field: DescField, way: Way, known: KnownValues): JsonObject {
  const one = valueSchema(field, way, way === "request" ? (known[factsOf(field).names] ?? []) : []);
  if (field.fieldKind === "list") return { type: "array", items: one };
  return field.fieldKind === "map" ? { type: "object", additionalProperties: one } : one;
}

/**
 * Whether a request carries a field. The contract does not show what is required: here is what a valid call of the
 * suite sends, so that a tool which knows nothing else is served at all. Lists, pages and filters may be left out.
 */
function isSent(field: DescField): boolean {
  return field.fieldKind !== "list" && field.message?.name !== "PageRequest" && !factsOf(field).filter;
}

/**
 * The JSON Schema (2020-12) of a message in ProtoJSON, as strict as the contract is: 64-bit integers as strings, enums by
 * name, UUIDs as objects. Fields that it does not list are allowed, as they are open.
 *
 * @param shown fields of a response that are always there, beside those a record always shows
 */
export function messageSchema(
  message: DescMessage,
  way: Way,
  known: KnownValues = {},
  shown: readonly DescField[] = [],
): JsonObject {
  if (isUuid(message)) {
    return { type: "object", properties: { value: { type: "string", pattern: uuidV7 } }, required: ["value"] };
  }
  const isRequired = (field: DescField) =>
    way === "request" ? isSent(field) : factsOf(field).always || shown.includes(field);
  const properties = message.fields.map((field) => {
    const schema = fieldSchema(field, way, known);
    return [field.jsonName, way === "request" || isRequired(field) ? schema : nullable(schema)] as const;
  });
  const required = message.fields.filter(isRequired).map(({ jsonName }) => jsonName);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The messages that a message holds, itself included, but for those with a form of their own: times. */
export function messagesIn(message: DescMessage, found = new Set<DescMessage>()): ReadonlySet<DescMessage> {
  if (found.has(message)) return found;
  found.add(message);
  for (const field of message.fields) {
    const shape = shapeOf(field);
    if (shape.kind === "message") messagesIn(shape.message, found);
  }
  return found;
}
