import type { JsonValue } from "@bufbuild/protobuf";

/** What one JSON text reads as (RFC 8259), with what a lenient parser hides. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** Paths of keys that stand twice in one object, the first of many. */
      readonly duplicates: readonly string[];
      /** Paths of strings that hold half a surrogate pair, the first of many. */
      readonly loneSurrogates: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

class Refused extends Error {}

const whitespace = /[ \t\n\r]*/y;
const numberText = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// From the space upwards, without the quote and the backslash: RFC 8259 §7 "unescaped".
const unescapedText = /[ !#-[\]-\uffff]*/y;
const escapeText = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const maximumDepth = 200;

/** Values in one text at most, those in lists and objects included: no message of the contract comes near. */
const maximumValues = 100_000;
/** Keys that stand twice, or strings of half pairs, that are told of one text at most. */
const maximumTold = 20;

const readings = new WeakMap<Uint8Array, JsonReading>();

/**
 * Reads exactly one JSON text from UTF-8 bytes; anything before or after it but white space is refused. Several oracles
 * read the same recorded bytes, which never change, so a reading is kept as long as they are.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  const known = readings.get(bytes);
  if (known !== undefined) return known;
  const reading = read(bytes);
  readings.set(bytes, reading);
  return reading;
}

function read(bytes: Uint8Array): JsonReading {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { ok: false, why: "it is not UTF-8" };
  }
  if (text === "") return { ok: false, why: "it is empty" };
  const plain = readPlain(text);
  if (plain !== undefined) return { ok: true, value: plain, duplicates: [], loneSurrogates: [] };
  try {
    return { ok: true, ...parse(text) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message };
    throw error;
  }
}

/** True for a value with no more levels of lists and objects below it than so many. */
function isWithin(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((one) => isWithin(one, levels - 1));
  for (const name in value) if (!isWithin(value[name] ?? null, levels - 1)) return false;
  return true;
}

/**
 * The value of a text that Node writes again just so: nothing in it is hidden then, no key that stands twice, and it reads
 * many times faster than under the eye. Undefined for any other, whatever it may be. Half pairs are written again, too.
 */
function readPlain(text: string): JsonValue | undefined {
  // No value is shorter than a character.
  if (text.length > maximumValues || text.includes("\\ud")) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return JSON.stringify(value) === text && isWithin(value, maximumDepth) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text of JSON under the eye of the parser. */
interface Scanner {
  /** What fits a sticky pattern here, and steps past it; undefined where it does not fit. */
  match(pattern: RegExp): string | undefined;
  /** Steps past white space and a literal. @throws Refused where something else stands */
  take(literal: string): void;
  /** The next character after white space; empty at the end. */
  peek(): string;
  /** A string after white space, unescaped. @throws Refused where none stands */
  string(): string;
  /** @throws Refused, naming the place and what was expected there */
  refuse(expected: string): never;
  isAtEnd(): boolean;
}

function createScanner(text: string): Scanner {
  let at = 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at += found[0].length;
    return found[0];
  }
  function refuse(expected: string): never {
    const found = at < text.length ? JSON.stringify(text.slice(at, at + 12)) : "the end";
    throw new Refused(`at character ${at}: ${expected} expected, ${found} found`);
  }
  function take(literal: string): void {
    match(whitespace);
    if (!text.startsWith(literal, at)) refuse(`"${literal}"`);
    at += literal.length;
  }
  function peek(): string {
    match(whitespace);
    return text[at] ?? "";
  }
  function string(): string {
    match(whitespace);
    const start = at;
    if (text[at] !== '"') refuse("a string");
    at += 1;
    match(unescapedText);
    // Escape by escape: one expression for all of a string runs out of stack at a few hundred thousand.
    while (match(escapeText) !== undefined) match(unescapedText);
    if (text[at] !== '"') {
      at = start;
      refuse("a string");
    }
    at += 1;
    // The literal's form is already checked: JSON.parse unescapes, and copies. A part of a text would keep all of it in memory.
    return JSON.parse(text.slice(start, at)) as string;
  }
  return { match, take, peek, string, refuse, isAtEnd: () => at >= text.length };
}

/** Parses one JSON text. @throws Refused where it is none, or too large or deep */
function parse(text: string): Omit<JsonReading & { readonly ok: true }, "ok"> {
  const { match, take, peek, string, refuse, isAtEnd } = createScanner(text);
  const duplicates: string[] = [];
  const loneSurrogates: string[] = [];
  let values = 0;

  function tell(places: string[], path: string): void {
    if (places.length < maximumTold) places.push(path);
  }
  function readString(path: string): string {
    const value = string();
    if (!value.isWellFormed()) tell(loneSurrogates, path);
    return value;
  }
  function readObject(path: string, depth: number): JsonValue {
    take("{");
    const object: Record<string, JsonValue> = {};
    if (peek() === "}") {
      take("}");
      return object;
    }
    for (;;) {
      const key = readString(path);
      const below = path === "" ? key : `${path}.${key}`;
      take(":");
      const value = readValue(below, depth + 1);
      if (Object.hasOwn(object, key)) tell(duplicates, below);
      if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true });
      else object[key] = value;
      if (peek() !== ",") break;
      take(",");
    }
    take("}");
    return object;
  }
  function readArray(path: string, depth: number): JsonValue {
    take("[");
    const array: JsonValue[] = [];
    if (peek() === "]") {
      take("]");
      return array;
    }
    for (;;) {
      array.push(readValue(`${path}[${array.length}]`, depth + 1));
      if (peek() !== ",") break;
      take(",");
    }
    take("]");
    return array;
  }
  function readValue(path: string, depth: number): JsonValue {
    values += 1;
    if (values > maximumValues) refuse(`at most ${maximumValues} values`);
    if (depth > maximumDepth) refuse(`nesting of at most ${maximumDepth}`);
    switch (peek()) {
      case "{":
        return readObject(path, depth);
      case "[":
        return readArray(path, depth);
      case '"':
        return readString(path);
      case "t":
        take("true");
        return true;
      case "f":
        take("false");
        return false;
      case "n":
        take("null");
        return null;
      default:
        return Number(match(numberText) ?? refuse("a value"));
    }
  }

  const value = readValue("", 0);
  match(whitespace);
  if (!isAtEnd()) refuse("the end");
  return { value, duplicates, loneSurrogates };
}
