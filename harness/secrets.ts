import type { SecretKind } from "./case.ts";

/** A value that must not come back, or must not be written down. */
interface Guarded {
  readonly label: string;
  readonly kind: SecretKind;
}

/** Where a guarded value was found. */
export interface SecretHit extends Guarded {
  /** How it was spelled: `raw`, `base64`, `hex`, … */
  readonly form: string;
}

/**
 * The secrets of a run: canaries it planted, credentials it uses and received. Bytes are scanned for all of them in
 * one pass, however many there are: each form of each value is cut into windows, and the scan looks every window of
 * the text up. A leak of at least two windows' length is found wherever it begins.
 */
export interface SecretRegistry {
  /** Guards a value; values too short to be told from chance are left out. */
  register(value: Uint8Array | string, label: string, kind: SecretKind): void;
  /** Guarded values found in a text, or in the bytes of one. */
  find(text: string | Uint8Array): readonly SecretHit[];
  /** The text with every guarded value replaced by its label. */
  redact(text: string): string;
}

const windowLength = 12;
const shortestGuarded = 12;

/** Base64 of the value's bytes at each of the three alignments a surrounding text may give it, inner part only. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const text = padded.toString("base64").replace(/=+$/, "");
    // The first group mixes in the alignment's bytes, the last may mix in what follows.
    return text.slice(shift === 0 ? 0 : 4, text.length - (text.length % 4 === 0 ? 0 : 1));
  });
}

function bytesOf(value: Uint8Array | string): Buffer {
  return typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
}

function formsOf(value: Uint8Array | string): [form: string, text: string][] {
  const bytes = bytesOf(value);
  const raw = bytes.toString("utf8");
  const aligned = base64Forms(bytes);
  const reversed = [...raw].reverse().join("");
  const forms: [string, string][] = [
    ["raw", raw],
    ["JSON-escaped", JSON.stringify(raw).slice(1, -1)],
    ["percent-encoded", encodeURIComponent(raw.toWellFormed())],
    ["hex", bytes.toString("hex")],
    ["hex", bytes.toString("hex").toUpperCase()],
    ["reversed", reversed],
    ...aligned.map((text): [string, string] => ["base64", text]),
    ...aligned.map((text): [string, string] => ["base64url", text.replaceAll("+", "-").replaceAll("/", "_")]),
  ];
  return forms.filter(([, text]) => text.length >= shortestGuarded);
}

const base = 0x01000193;
/** What a character has been multiplied by when it leaves the window. */
const leavingFactor = Array.from({ length: windowLength }).reduce<number>((power) => Math.imul(power, base), 1);

function hashOf(window: string): number {
  return [...Array(window.length).keys()].reduce((hash, at) => (Math.imul(hash, base) + window.charCodeAt(at)) | 0, 0);
}

/** Creates an empty registry. */
export function createSecretRegistry(): SecretRegistry {
  const windows = new Map<string, SecretHit>();
  /** By the upper 20 bits of a hash: whether any window has it. */
  const sieve = new Uint8Array(1 << 20);
  const forms = new Map<string, string>();

  function guard(window: string, hit: SecretHit): void {
    windows.set(window, hit);
    sieve[hashOf(window) >>> 12] = 1;
  }

  return {
    register(value, label, kind) {
      if (value.length < shortestGuarded) return;
      for (const [form, text] of formsOf(value)) {
        if (forms.has(text)) continue;
        forms.set(text, label);
        const hit = { label, kind, form };
        // Windows are of bytes, written as Latin-1: a text in UTF-8 and one that is no text are scanned alike.
        const bytes = form === "raw" ? bytesOf(value).toString("latin1") : Buffer.from(text, "utf8").toString("latin1");
        for (let at = 0; at + windowLength <= bytes.length; at += windowLength) {
          guard(bytes.slice(at, at + windowLength), hit);
        }
        guard(bytes.slice(-windowLength), hit);
      }
    },
    find(text) {
      const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
      const hits = new Map<string, SecretHit>();
      // A rolling hash decides where a window is worth looking up: most texts hold none, and slicing each is slow.
      let hash = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const leaving = at < windowLength ? 0 : (bytes[at - windowLength] ?? 0);
        hash = (Math.imul(hash, base) + (bytes[at] ?? 0) - Math.imul(leaving, leavingFactor)) | 0;
        if (at < windowLength - 1 || sieve[hash >>> 12] === 0) continue;
        const hit = windows.get(Buffer.from(bytes.subarray(at - windowLength + 1, at + 1)).toString("latin1"));
        if (hit !== undefined) hits.set(hit.label, hit);
      }
      return [...hits.values()];
    },
    redact(text) {
      let redacted = text;
      if (this.find(text).length === 0) return text;
      const longestFirst = [...forms].sort(([a], [b]) => b.length - a.length);
      for (const [form, label] of longestFirst) redacted = redacted.replaceAll(form, `<${label}>`);
      // What is left is a piece of a value: cut it out window by window, in bytes as windows are.
      let bytes = Buffer.from(redacted, "utf8").toString("latin1");
      for (const hit of this.find(redacted)) {
        for (const [window, known] of windows) {
          if (known.label === hit.label) bytes = bytes.replaceAll(window, `<part of ${hit.label}>`);
        }
      }
      return Buffer.from(bytes, "latin1").toString("utf8");
    },
  };
}
