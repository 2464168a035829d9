import type { JsonValue } from "@bufbuild/protobuf";
import { sameJson } from "../json.ts";

/** The JSON document in the base64 of a field; undefined where there is none. UTF-8 is required (RFC 8259 §8.1). */
export function documentIn(value: JsonValue | undefined): { readonly document: JsonValue } | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "base64"));
    return { document: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}

/** Whether two fields hold one JSON document: a store may keep it in a form of its own, with other spaces or order. */
export function sameDocument(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [one, other] = [documentIn(a), documentIn(b)];
  return one !== undefined && other !== undefined && sameJson(one.document, other.document);
}
