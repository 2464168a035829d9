import type { SecretKind } from "./case.ts";
import { bytesOf, formsOf, readingsOf, shortestGuarded, withoutRuns } from "./secret-forms.ts";

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

const base = 0x01000193;
/** What a character has been multiplied by when it leaves the window. */
const leavingFactor = Array.from({ length: windowLength }).reduce<number>((power) => Math.imul(power, base), 1);

function hashOf(window: string): number {
  let hash = 0;
  for (let at = 0; at < window.length; at += 1) hash = (Math.imul(hash, base) + window.charCodeAt(at)) | 0;
  return hash;
}

/** Bits of a hash that a new sieve tells apart, and that one may at most: 2 KiB and 16 MiB. */
const [fewestBits, mostBits] = [14, 27];

/** Places of the sieve for each window: so few are taken that nearly all it lets through is a find. */
const placesPerWindow = 32;

/** By the upper bits of a hash, whether any window has it. It grows with what is entered, as a large one takes time to clear. */
function createSieve() {
  let bits = fewestBits;
  let places = new Uint8Array(1 << (bits - 3));
  const hashes: number[] = [];
  const mark = (hash: number) => {
    const place = hash >>> (32 - bits);
    places[place >>> 3] = (places[place >>> 3] ?? 0) | (1 << (place & 7));
  };
  return {
    enter(hash: number): void {
      hashes.push(hash);
      if (hashes.length * placesPerWindow <= 2 ** bits || bits === mostBits) {
        mark(hash);
        return;
      }
      bits += 1;
      places = new Uint8Array(1 << (bits - 3));
      hashes.forEach(mark);
    },
    mayHold(hash: number): boolean {
      const place = hash >>> (32 - bits);
      return ((places[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0;
    },
  };
}

/** How often what was decoded is decoded again: a cursor may be base64 of JSON that holds base64. */
const mostLayers = 2;

/** A spelling within a spelling. */
function nested(inner: string, outer: string | undefined): string {
  if (outer === undefined) return inner;
  return inner === "raw" ? outer : `${inner} in ${outer}`;
}

/** Creates an empty registry. */
export function createSecretRegistry(): SecretRegistry {
  const windows = new Map<string, SecretHit>();
  const sieve = createSieve();
  const forms = new Map<string, string>();
  const known = new Set<string>();

  function guard(window: string, hit: SecretHit): void {
    if (windows.has(window)) return;
    windows.set(window, hit);
    sieve.enter(hashOf(window));
  }

  /** Windows are of bytes, written as Latin-1: a text in UTF-8 and one that is no text are scanned alike. */
  function guardAll(bytes: string, hit: SecretHit): void {
    for (let at = 0; at + windowLength <= bytes.length; at += windowLength) {
      guard(bytes.slice(at, at + windowLength), hit);
    }
    guard(bytes.slice(-windowLength), hit);
  }

  /** Looks every window of the bytes up. A rolling hash decides where that is worth it: most texts hold none, and slicing each is slow. */
  function scan(bytes: Uint8Array, form: string | undefined, hits: Map<string, SecretHit>): void {
    let hash = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const leaving = at < windowLength ? 0 : (bytes[at - windowLength] ?? 0);
      hash = (Math.imul(hash, base) + (bytes[at] ?? 0) - Math.imul(leaving, leavingFactor)) | 0;
      if (at < windowLength - 1 || !sieve.mayHold(hash)) continue;
      const hit = windows.get(Buffer.from(bytes.subarray(at - windowLength + 1, at + 1)).toString("latin1"));
      if (hit === undefined || hits.has(hit.label)) continue;
      hits.set(hit.label, { ...hit, form: nested(hit.form, form) });
    }
  }

  function read(bytes: Buffer, form: string | undefined, layers: number, hits: Map<string, SecretHit>): void {
    scan(bytes, form, hits);
    if (layers === 0) return;
    for (const { bytes: said, form: inner, deeper } of readingsOf(bytes)) {
      read(said, nested(inner, form), deeper ? layers - 1 : 0, hits);
    }
  }

  /** Cuts out what holds a value only once it is decoded; where that is not enough, the whole text. */
  function withoutEncoded(text: string, find: SecretRegistry["find"]): string {
    const cut = withoutRuns(text, (run) => find(run)[0]?.label);
    const [left] = find(cut);
    return left === undefined ? cut : `<withheld: it holds ${left.label} (${left.form})>`;
  }

  return {
    register(value, label, kind) {
      const raw = bytesOf(value).toString("latin1");
      if (known.has(raw) || raw.length < shortestGuarded) return;
      known.add(raw);
      guardAll(raw, { label, kind, form: "raw" });
      for (const [text, form] of formsOf(value)) {
        if (forms.has(text)) continue;
        forms.set(text, label);
        if (form !== "raw") guardAll(Buffer.from(text, "utf8").toString("latin1"), { label, kind, form });
      }
    },
    find(text) {
      const hits = new Map<string, SecretHit>();
      const bytes =
        typeof text === "string"
          ? Buffer.from(text, "utf8")
          : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
      read(bytes, undefined, mostLayers, hits);
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
      return withoutEncoded(Buffer.from(bytes, "latin1").toString("utf8"), (rest) => this.find(rest));
    },
  };
}
