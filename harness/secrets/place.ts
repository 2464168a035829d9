import type { JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../wire/reply.ts";
import { readJson } from "../wire/strict-json.ts";
import type { SecretHit, SecretRegistry } from "./registry.ts";

/** A part of what was received that is read on its own: `body`, `message 3`, `header x-trace`. */
export interface Part {
  readonly name: string;
  readonly text: Uint8Array | string;
}

/** Where a guarded value stands. */
export interface Place {
  /** The path of a field, where it stands in JSON; else the part: `secret.name`, `header x-trace`. */
  readonly at: string;
  /**
   * The part, where in it, how it is spelled, and what stands there, masked: `body at secret.name (base64): "<a secret's value>"`.
   * Made when it is read: of a thousand replies that leak the same, it is shown of one.
   */
  readonly where: string;
}

/** Characters of a masked text that are shown: a mark, and what is around it. */
const maxExcerpt = 80;

/** A text without what is guarded, as much of it as shows where that stood. */
function masked(secrets: SecretRegistry, text: string): string {
  const redacted = secrets.redact(text);
  if (redacted.length <= maxExcerpt) return redacted;
  const start = Math.max(0, redacted.indexOf("<") - maxExcerpt / 4);
  const end = start + maxExcerpt;
  const shown = redacted.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${shown}${end < redacted.length ? "…" : ""}`;
}

type Holds = (text: string) => boolean;

/** A text of JSON that holds a value, with its path. */
interface Leaf {
  readonly path: string;
  readonly text: string;
}

/** The first text of JSON, a member's name included, that holds a value. */
function leafIn(value: JsonValue, path: string, holds: Holds): Leaf | undefined {
  if (typeof value === "string") return holds(value) ? { path, text: value } : undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = leafIn(item, `${path}[${index}]`, holds);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, item] of Object.entries(value)) {
    if (holds(name)) return { path: `a member's name in ${path || "the message"}`, text: name };
    const found = leafIn(item, path === "" ? name : `${path}.${name}`, holds);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A place whose masked text is made when it is read. */
const shown = (at: string, where: () => string): Place => ({
  at,
  get where() {
    return where();
  },
});

const bytesOf = (text: Part["text"]) => (typeof text === "string" ? Buffer.from(text) : text);

/**
 * Where in the first of these parts that holds a value it stands; undefined where none holds it on its own.
 *
 * @param hit the value, as `find` found it in all of them together
 * @param except numbers of values that may be there
 */
export function placeIn(
  secrets: SecretRegistry,
  { label, form }: SecretHit,
  parts: readonly Part[],
  except?: ReadonlySet<number>,
): Place | undefined {
  const holds = (text: Part["text"]) => secrets.find(text, except).some((one) => one.label === label);
  const part = parts.find(({ text }) => holds(text));
  if (part === undefined) return undefined;
  const { name } = part;
  if (/^(header|trailer) /.test(name)) {
    return shown(name, () => `${name} (${form}): "${masked(secrets, String(part.text))}"`);
  }
  const reading = readJson(bytesOf(part.text));
  const leaf = reading.ok ? leafIn(reading.value, "", holds) : undefined;
  if (leaf !== undefined) {
    return shown(leaf.path, () => `${name} at ${leaf.path} (${form}): "${masked(secrets, leaf.text)}"`);
  }
  const lines = Buffer.from(bytesOf(part.text)).toString("utf8").split("\n");
  const line = lines.findIndex(holds);
  if (line === -1) return { at: name, where: `${name} (${form})` };
  return shown(name, () => `${name}, line ${line + 1} (${form}): "${masked(secrets, lines[line] ?? "")}"`);
}
