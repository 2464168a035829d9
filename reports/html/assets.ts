import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * The app as `npm run generate` bundled it. It is part of the program, read once when it loads; rendering itself reads
 * nothing.
 */
const read = (name: string) => readFileSync(new URL(`gen/${name}`, import.meta.url), "utf8");

export const style = read("app.css");
export const script = read("app.js");

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
