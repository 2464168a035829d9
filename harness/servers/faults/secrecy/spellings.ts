import type { JsonObject } from "@bufbuild/protobuf";
import type { WireHooks } from "../../reference/core/decoration.ts";

/** The latest of something that went by, as bytes. */
export interface Noted {
  latest: Buffer | undefined;
}

export const valueFields = ["value", "plaintextValue"];
export const shortestValue = 24;

/** Notes the latest secret value that came in. */
export function notingValues(): { readonly noted: Noted; readonly hooks: WireHooks } {
  const noted: Noted = { latest: undefined };
  const request = (json: JsonObject) => {
    for (const field of valueFields) {
      const value = json[field];
      const bytes = typeof value === "string" ? Buffer.from(value, "base64") : undefined;
      if (bytes !== undefined && bytes.length >= shortestValue) noted.latest = bytes;
    }
    return json;
  };
  return { noted, hooks: { request } };
}

export const mixedCase = (text: string) =>
  [...text].map((letter, index) => (index % 2 === 0 ? letter : letter.toUpperCase())).join("");
export const escaped = (bytes: Buffer) =>
  [...bytes].map((byte) => `\\u00${byte.toString(16).padStart(2, "0")}`).join("");
export const percented = (bytes: Buffer) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** Spellings that hold a value only for who decodes them. */
export const spellings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  "in-mixed-hex": (bytes) => mixedCase(bytes.toString("hex")),
  percented,
  "in-base64-of-base64": (bytes) => Buffer.from(`after:${bytes.toString("base64")}`).toString("base64url"),
  "in-base64-of-hex": (bytes) => Buffer.from(JSON.stringify({ at: bytes.toString("hex") })).toString("base64url"),
  "behind-a-prefix": (bytes) => `cursor_${Buffer.from(bytes.toString("hex")).toString("base64url")}`,
};

export const spelled = (spelling: string, bytes: Buffer) => spellings[spelling]?.(bytes) ?? "";
