/** A way to write single bytes or letters otherwise, in the middle of a text that is plain else. Texts are Latin-1, one character per byte. */
export interface Escape {
  readonly form: string;
  /** What each escape begins with, or has in it: a text without one has none. */
  readonly sign: string;
  /** Escapes, so many at a time: one expression for all of a long text runs out of stack. */
  readonly pattern: RegExp;
  /** What an escape that the pattern matches stands for. */
  undo(escaped: string): string;
}

/** A letter by its code, as the bytes of its UTF-8; a code that no letter has stands for none. */
function letterOf(code: number): string {
  return code <= 0x10ffff ? Buffer.from(String.fromCodePoint(code), "utf8").toString("latin1") : "";
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** A reference of HTML or XML: a name, or a number in decimal or hex. */
function referenced(reference: string): string {
  if (!reference.startsWith("#")) return named[reference] ?? "";
  const isHex = /^#x/i.test(reference);
  return letterOf(Number.parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10));
}

/** The escapes that are undone: of JSON, of URLs, of HTML, of source code, and the NULs between the letters of UTF-16. */
export const escapes: readonly Escape[] = [
  {
    form: "JSON-escaped",
    sign: "\\",
    pattern: /(?:\\u[0-9A-Fa-f]{4}){1,1024}|\\["\\/]/g,
    undo(escaped) {
      if (!escaped.startsWith("\\u")) return escaped.slice(1);
      const codes = escaped.split("\\u").slice(1);
      // Halves of a pair stand in escapes of their own.
      const written = String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16)));
      return Buffer.from(written, "utf8").toString("latin1");
    },
  },
  {
    form: "byte-escaped",
    sign: "\\",
    // Within JSON their backslash is written twice.
    pattern: /(?:\\{1,4}(?:x[0-9A-Fa-f]{2}|[0-3][0-7]{2})){1,1024}/g,
    undo: (escaped) =>
      Buffer.from(
        escaped
          .split(/\\+/)
          .filter(Boolean)
          .map((one) => (one.startsWith("x") ? Number.parseInt(one.slice(1), 16) : Number.parseInt(one, 8))),
      ).toString("latin1"),
  },
  {
    form: "percent-encoded",
    sign: "%",
    pattern: /(?:%[0-9A-Fa-f]{2}){1,1024}/g,
    undo: (escaped) => Buffer.from(escaped.replaceAll("%", ""), "hex").toString("latin1"),
  },
  {
    form: "HTML-escaped",
    sign: "&",
    pattern: /(?:&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);){1,1024}/g,
    undo: (escaped) => escaped.split(/[&;]+/).filter(Boolean).map(referenced).join(""),
  },
  {
    form: "UTF-16",
    sign: "\0",
    // Of either order of bytes: each letter has a NUL behind it, its own or that of the next.
    pattern: /(?:[^\0]\0){8,1024}/g,
    undo: (escaped) => Buffer.from(escaped.replaceAll("\0", ""), "utf8").toString("latin1"),
  },
];
