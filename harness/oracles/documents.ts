import { isDeepStrictEqual } from "node:util";
import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { factsOf } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";
import { recordsIn } from "./records.ts";

/** True for a field that carries a JSON document as bytes. */
export function holdsDocument(field: DescField): boolean {
  return factsOf(field).jsonDocument;
}

/** The JSON document in a base64 value; undefined where it holds none. It must be UTF-8 (RFC 8259 §8.1). */
export function documentIn(value: JsonValue | undefined): { readonly document: JsonValue } | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "base64"));
    return { document: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}

/** Zero has no sign in JSON's own model of numbers: who writes a document anew may leave it out. */
const unsigned = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(unsigned);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unsigned(member)]));
  }
  return value === 0 ? 0 : value;
};

/**
 * Whether two base64 values hold equal JSON documents; white space and the order of keys may differ. They are a caller's own: what
 * is absent, null or zero in one is not the same in the other.
 */
export function sameDocument(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [one, other] = [documentIn(a), documentIn(b)];
  return (
    one !== undefined && other !== undefined && isDeepStrictEqual(unsigned(one.document), unsigned(other.document))
  );
}

/** The non-empty JSON document fields of a reply's records: their base64 values and paths. */
export function documentFieldsIn(reply: Reply): readonly { readonly value: JsonValue; readonly at: string }[] {
  return recordsIn(reply).flatMap(({ record, message, at }) =>
    message.fields.filter(holdsDocument).flatMap((field) => {
      const value = record[field.jsonName];
      return value === undefined || value === null || value === "" ? [] : [{ value, at: `${at}.${field.jsonName}` }];
    }),
  );
}
