import type { SecretRegistry } from "../secrets/registry.ts";
import { beginningOf } from "../wire/short-text.ts";

/** Any JSON value, however deep. */
type Plain = unknown;

/** Characters of one text that are kept: nobody reads on. */
const maxTextLength = 16_000;

/** A text that can be read to its end; what is cut off is told by its length. */
export function shortened(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${beginningOf(text, maxTextLength).toWellFormed()}… (${text.length} characters in all)`;
}

function withEachText(value: Plain, change: (text: string) => string): Plain {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => withEachText(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), withEachText(item, change)]));
}

function hasLongText(value: Plain): boolean {
  if (typeof value === "string") return value.length > maxTextLength;
  if (Array.isArray(value)) return value.some(hasLongText);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.length > maxTextLength || hasLongText(item));
}

/**
 * Plain data fit to be written: without a guarded value in any of its texts, names of members included, and without texts
 * of megabytes. What is fit already, as nearly everything is, is given back as it is.
 */
export function redactData<T>(data: T, secrets: Pick<SecretRegistry, "leak" | "redact">): T {
  // Cut first: what is left out need not be looked through.
  const short = hasLongText(data) ? withEachText(data, shortened) : data;
  if (secrets.leak(JSON.stringify(short)) === undefined) return short as T;
  return withEachText(short, (text) => secrets.redact(text)) as T;
}
