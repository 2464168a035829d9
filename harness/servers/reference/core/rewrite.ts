import { randomUUID } from "node:crypto";
import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WireChoices } from "./choices.ts";

/** Changes the JSON of one value of a message type; undefined keeps it. */
type Visit = (message: DescMessage, json: JsonValue) => JsonValue | undefined;

function walkField(field: DescField, json: JsonValue, visit: Visit): JsonValue {
  if (field.fieldKind === "list" && Array.isArray(json)) {
    return json.map((one) => (field.message === undefined ? one : walkMessage(field.message, one, visit)));
  }
  return field.fieldKind === "message" ? walkMessage(field.message, json, visit) : json;
}

function walkMessage(message: DescMessage, json: JsonValue, visit: Visit): JsonValue {
  const changed = visit(message, json);
  if (changed !== undefined) return changed;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const fields = new Map(message.fields.map((field) => [field.jsonName, field]));
  const walked = Object.entries(json).map(([key, value]) => {
    const field = fields.get(key);
    return [key, field === undefined ? value : walkField(field, value, visit)] as const;
  });
  return Object.fromEntries(walked);
}

/** A timestamp's JSON with just `digits` fraction digits; what is finer is cut off. */
function withDigits(text: string, digits: number): string {
  const [whole = "", fraction = ""] = text.slice(0, -1).split(".");
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction.padEnd(digits, "0").slice(0, digits)}Z`;
}

function reversed(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(reversed);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([key, value]) => [key, reversed(value)]),
  );
}

/** Whether the choices ask for replies to be rewritten at all. */
export function rewritesReplies(choices: WireChoices): boolean {
  return (
    choices.timestampDigits !== undefined ||
    choices.uuidCase !== "lower" ||
    choices.unknownReplyFields ||
    choices.keyOrder !== "declared" ||
    choices.jsonSpacing !== "none" ||
    !choices.errorDebug
  );
}

/** A reply message's JSON as the choices want it. */
export function rewriteReply(message: DescMessage, json: JsonObject, choices: WireChoices): JsonObject {
  const walked = walkMessage(message, json, ({ typeName, name }, value) => {
    if (name === "UUIDv7") {
      const { value: text } = value as { value?: string };
      if (text === undefined) return value;
      const cased = choices.uuidCase === "upper" ? text.toUpperCase() : text;
      // What a newer server says of an id need not be the same each time.
      return choices.unknownReplyFields ? { value: cased, laterAddition: randomUUID() } : { value: cased };
    }
    const isTime = typeName === "google.protobuf.Timestamp" && typeof value === "string";
    return isTime && choices.timestampDigits !== undefined ? withDigits(value, choices.timestampDigits) : undefined;
  }) as JsonObject;
  return choices.unknownReplyFields ? { ...walked, laterAddition: { note: "a newer server's field" } } : walked;
}

/** A Connect Error's JSON as the choices want it. */
export function rewriteError(error: JsonObject, choices: WireChoices): JsonObject {
  if (choices.errorDebug || !Array.isArray(error.details)) return error;
  const details = error.details.map((detail) => {
    const { debug: _, ...rest } = detail as JsonObject;
    return rest;
  });
  return { ...error, details };
}

/** JSON text as the choices space and order it. */
export function printJson(json: JsonValue, choices: WireChoices): Uint8Array {
  const ordered = choices.keyOrder === "reversed" ? reversed(json) : json;
  const text = JSON.stringify(ordered, null, choices.jsonSpacing === "indented" ? 2 : undefined);
  return Buffer.from(choices.jsonSpacing === "none" ? text : `${text}\n`);
}
