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

/** A text of JSON, a member's name included, with its path. */
interface Leaf {
  readonly path: string;
  readonly text: string;
}

function* leavesOf(value: JsonValue, path: string): Generator<Leaf> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leavesOf(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield { path: `a member's name in ${path || "the message"}`, text: name };
      yield* leavesOf(item, path === "" ? name : `${path}.${name}`);
    }
  }
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
 * Where in the first of these parts that holds it each of the values stands, by its label; a value that no part holds on its own
 * has no place. Each text is searched once for all of them: a server may repeat dozens in every reply.
 *
 * @param hits the values, as `find` found them in all parts together
 * @param except numbers of values that may be there
 */
export function placesIn(
  secrets: SecretRegistry,
  hits: readonly SecretHit[],
  parts: readonly Part[],
  except?: ReadonlySet<number>,
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const left = new Map(hits.map(({ label, form }) => [label, form]));

  /** Gives those of the values a place that stand in a text and have none yet. */
  function place(text: Part["text"], placeOf: (form: string) => Place): void {
    for (const { label } of secrets.find(text, except)) {
      const form = left.get(label);
      if (form === undefined) continue;
      places.set(label, placeOf(form));
      left.delete(label);
    }
  }

  function placeInBody({ name, text }: Part): void {
    const here = secrets.find(text, except).filter(({ label }) => left.has(label));
    const isDone = () => !here.some(({ label }) => left.has(label));
    if (isDone()) return;
    const reading = readJson(bytesOf(text));
    for (const leaf of reading.ok ? leavesOf(reading.value, "") : []) {
      place(leaf.text, (form) =>
        shown(leaf.path, () => `${name} at ${leaf.path} (${form}): "${masked(secrets, leaf.text)}"`),
      );
      if (isDone()) return;
    }
    const lines = Buffer.from(bytesOf(text)).toString("utf8").split("\n");
    for (const [index, line] of lines.entries()) {
      place(line, (form) => shown(name, () => `${name}, line ${index + 1} (${form}): "${masked(secrets, line)}"`));
      if (isDone()) return;
    }
    place(text, (form) => ({ at: name, where: `${name} (${form})` }));
  }

  for (const part of parts) {
    if (left.size === 0) break;
    const { name, text } = part;
    if (/^(header|trailer) /.test(name))
      place(text, (form) => shown(name, () => `${name} (${form}): "${masked(secrets, String(text))}"`));
    else placeInBody(part);
  }
  return places;
}
