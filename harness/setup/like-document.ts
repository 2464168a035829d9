import type { JsonValue } from "@bufbuild/protobuf";
import { documentIn } from "../oracles/documents.ts";

/**
 * A value of the JSON type that a stored one has: whether a server takes values of another type is not shown ("field
 * constraints beyond type"). A truth value becomes the other one; of null, and of what is not known, an object is made.
 */
function valueLike(stored: JsonValue | undefined, name: string, word: string): JsonValue {
  if (Array.isArray(stored)) return [word];
  switch (typeof stored) {
    case "string":
      return word;
    case "number":
      return [...Buffer.from(word)].reduce((number, byte) => (number * 31 + byte) % 1_000_000_007, 7);
    case "boolean":
      return !stored;
    default:
      return { [name]: word };
  }
}

/** A document with a word in it, of the same JSON type as a stored one; both in base64. */
export function likeDocument(stored: JsonValue | undefined, name: string, word: string): string {
  return Buffer.from(JSON.stringify(valueLike(documentIn(stored)?.document, name, word))).toString("base64");
}
