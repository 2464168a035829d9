import type { Message } from "@bufbuild/protobuf";
import type { FactField } from "../../../../proto/rpcs.ts";

/** The value of a field of a message, whatever its kind. */
export function readField(message: Message, localName: string): unknown {
  return (message as unknown as Readonly<Record<string, unknown>>)[localName];
}

/** The text of a UUID message, in lower case: UUIDs compare without case (RFC 9562 §4). Empty when absent. */
export function idText(id: { value: string } | undefined): string {
  return id?.value.toLowerCase() ?? "";
}

function isIdMessage(value: unknown): value is { value: string } {
  return typeof value === "object" && value !== null && "value" in value && typeof value.value === "string";
}

/** The ids in a field that names things: none when absent, several when it is a list. Plain string ids stay as sent. */
export function readIds(message: Message, fact: FactField): string[] {
  const value = readField(message, fact.field.localName);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) =>
    typeof one === "string" ? (one === "" ? [] : [one]) : isIdMessage(one) ? [idText(one)] : [],
  );
}

/** The id in a field that names one thing, or undefined where the field is absent. */
export function readId(message: Message, fact: FactField | undefined): string | undefined {
  return fact === undefined ? undefined : readIds(message, fact)[0];
}
