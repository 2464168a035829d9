import type { SecretRegistry } from "../secrets/registry.ts";

/** Any JSON value, however deep. */
type Plain = unknown;

function redactEach(value: Plain, redact: (text: string) => string): Plain {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactEach(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactEach(item, redact)]));
}

/**
 * Plain data without a guarded value in any of its texts, names of members included. What holds none, as nearly everything
 * does, is given back as it is.
 */
export function redactData<T>(data: T, secrets: Pick<SecretRegistry, "find" | "redact">): T {
  if (secrets.find(JSON.stringify(data)).length === 0) return data;
  return redactEach(data, (text) => secrets.redact(text)) as T;
}
