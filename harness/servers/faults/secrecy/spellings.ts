import { gzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import type { WireHooks } from "../../reference/core/decoration.ts";

/** The latest of something that went by, as bytes. */
export interface Noted {
  latest: Buffer | undefined;
}

const valueFields = ["value", "plaintextValue"];
const minBytes = 24;

/** Notes the latest secret value that comes in. */
export function notingValues(): { readonly noted: Noted; readonly hooks: WireHooks } {
  const noted: Noted = { latest: undefined };
  const request = (json: JsonObject) => {
    for (const field of valueFields) {
      const value = json[field];
      const bytes = typeof value === "string" ? Buffer.from(value, "base64") : undefined;
      if (bytes !== undefined && bytes.length >= minBytes) noted.latest = bytes;
    }
    return json;
  };
  return { noted, hooks: { request } };
}

/** Notes the latest credential that goes out in a field of replies: of every RPC's, or of those of one. */
export function notingIssued(field: string, from?: string): { readonly noted: Noted; readonly hooks: WireHooks } {
  const noted: Noted = { latest: undefined };
  return {
    noted,
    hooks: {
      reply(json, call) {
        const issued = json[field];
        const isFrom = from === undefined || call.rpc === from;
        if (isFrom && typeof issued === "string" && issued.length >= minBytes) noted.latest = Buffer.from(issued);
        return json;
      },
    },
  };
}

const inMixedCase = (text: string) =>
  [...text].map((letter, index) => (index % 2 === 0 ? letter : letter.toUpperCase())).join("");

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 of RFC 4648 §6, without padding. */
function inBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((five) => base32Letters[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** How a leaked value may be spelled: as it is, or so that only who decodes it sees it. */
export const spellings = {
  plain: (bytes: Buffer) => bytes.toString(),
  base64: (bytes: Buffer) => bytes.toString("base64"),
  hex: (bytes: Buffer) => bytes.toString("hex"),
  "first-half": (bytes: Buffer) => bytes.subarray(0, 26).toString(),
  "in-longer-base64": (bytes: Buffer) => Buffer.concat([Buffer.from("v1:"), bytes]).toString("base64url"),
  "in-mixed-hex": (bytes: Buffer) => inMixedCase(bytes.toString("hex")),
  percented: (bytes: Buffer) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  /** As Go prints bytes that nobody made a text of. */
  "as-numbers": (bytes: Buffer) => `[${[...bytes].join(" ")}]`,
  /** As .NET prints bytes. */
  "in-hyphened-hex": (bytes: Buffer) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("-"),
  "with-points-between": (bytes: Buffer) => bytes.join("."),
  "in-base32": inBase32,
  "in-octal": (bytes: Buffer) => [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
  "in-html": (bytes: Buffer) => [...bytes].map((byte) => `&#${byte};`).join(""),
  "in-utf-16": (bytes: Buffer) => Buffer.from(bytes.toString(), "utf16le").toString("base64"),
  gzipped: (bytes: Buffer) => gzipSync(bytes).toString("base64"),
  "in-base64-of-base64": (bytes: Buffer) => Buffer.from(`after:${bytes.toString("base64")}`).toString("base64url"),
  "in-base64-of-hex": (bytes: Buffer) =>
    Buffer.from(JSON.stringify({ at: bytes.toString("hex") })).toString("base64url"),
  "behind-a-prefix": (bytes: Buffer) => `cursor_${Buffer.from(bytes.toString("hex")).toString("base64url")}`,
  /** The bytes that a signing secret encodes, in hex. */
  "key-in-hex": (bytes: Buffer) => Buffer.from(bytes.toString().replace(/^whsec_/, ""), "base64").toString("hex"),
  /** Each byte as JSON escapes it, to be put into a JSON text as it stands. */
  escaped: (bytes: Buffer) => [...bytes].map((byte) => `\\u00${byte.toString(16).padStart(2, "0")}`).join(""),
} as const;

export type Spelling = keyof typeof spellings;
