import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Change } from "./edit.ts";

/** An id of the right form that nothing has. */
export const unknownId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

/** Ways of showing a value otherwise than it is. */
export const drop: Change = () => undefined;
export const cutLong: Change = (value) => String(value).slice(0, 64);
export const rename: Change = (value) => `${String(value)}-2`;
export const another: Change = () => unknownId;
export const past: Change = () => "2001-01-01T00:00:00Z";
export const more: Change = (value) => (typeof value === "number" ? value + 1 : String(BigInt(String(value)) + 1n));
export const bare: Change = (id) => (id as JsonObject).value;
export const asText: Change = (value) => String(value);
export const pathOf: Change = (url) => new URL(String(url)).pathname;

/** A text, changed; what is none stays as it is. */
export const onText =
  (change: (text: string) => string): Change =>
  (value) =>
    typeof value === "string" ? change(value) : value;

/** A time later than it is. */
export const laterBy =
  (ms: number): Change =>
  (time) =>
    new Date(Date.parse(String(time)) + ms).toISOString();
export const later = laterBy(5000);

/** Seconds since 1970 of a time. */
export const epochSeconds = (time: unknown) => Math.trunc(Date.parse(String(time)) / 1000);

/** Bytes in base64, changed. */
export const changedBytes =
  (change: (bytes: Buffer) => Uint8Array): Change =>
  (value) =>
    Buffer.from(change(Buffer.from(String(value), "base64"))).toString("base64");

/** An object without one of its members. */
export function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...others } = object;
  return others;
}

/** The text at a path of JSON as it stands on the wire; empty where there is none. */
export function textIn(json: JsonObject, path: string): string {
  const value = path
    .split(".")
    .reduce<JsonValue | undefined>((part, name) => (part as JsonObject | null | undefined)?.[name], json);
  return typeof value === "string" ? value : "";
}
