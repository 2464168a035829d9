/** Ways to write a credential, by name: whoever looks for it has to know them all. */
export const spellings = {
  raw: (text: string) => text,
  cases: (text: string) => `${text.toUpperCase()} ${text.toLowerCase()}`,
  base64: (text: string) =>
    ["", ":", "::"].map((before) => Buffer.from(`${before}${text}:`).toString("base64")).join(" "),
  base64url: (text: string) =>
    ["", ":", "::"].map((before) => Buffer.from(`${before}${text}:`).toString("base64url")).join(" "),
  hex: (text: string) => `${Buffer.from(text).toString("hex")} ${Buffer.from(text).toString("hex").toUpperCase()}`,
  percent: (text: string) =>
    `${encodeURIComponent(text)} ${[...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("")}`,
  escapes: (text: string) =>
    [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  reversed: (text: string) => [...text].reverse().join(""),
  parts: (text: string) => `${text.slice(0, 16)}... and ...${text.slice(-14)}`,
} as const satisfies Readonly<Record<string, (text: string) => string>>;

export type Spelling = keyof typeof spellings;

/** A credential in every spelling. */
export const inEverySpelling = (text: string) =>
  Object.values(spellings)
    .map((spell) => spell(text))
    .join(" | ");

/** The credential a request came with; empty where it came with none. */
export function keyOf(headers: { readonly authorization?: string | undefined }): string {
  return (headers.authorization ?? "").replace(/^Bearer /, "");
}

/** The longest part of a credential that may stand in the name of a header. */
export function asHeaderName(text: string): string {
  return `x-${text.replaceAll(/[^A-Za-z0-9_-]/g, "")}`;
}
