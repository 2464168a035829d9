import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * The styles and the script of the page, which stand in files of their own so that editors and linters know them.
 * They are part of the program, read once when it loads; rendering itself reads nothing.
 */
const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

const sheets = [
  "tokens",
  "base",
  "summary",
  "overview",
  "filters",
  "matrix",
  "cases",
  "exchange",
  "observations",
  "print",
];

/** All sheets stand in one layer, so that a hidden element stays hidden whatever they say of its class. */
export const style = `@layer page {\n${sheets.map((name) => read(`css/${name}.css`)).join("\n")}}\n[hidden] { display: none }\n`;
export const script = read("page.js");

/** A policy that lets in this style and this script, and nothing from anywhere else. */
export const policy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
