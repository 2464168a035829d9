import { bytesOf, decodingsOf, encodingsOf, minGuardedLength, replaceRuns } from "./encodings.ts";
import { createWindowIndex, windowLength, windowOffsets } from "./window-index.ts";

/** What a guarded value is. It decides which clause is broken where the value is found. */
export type SecretKind = "secret value" | "signing secret" | "credential" | "issued credential";

/** A value that must not be received back, or must not be written to a file. */
interface Guarded {
  readonly label: string;
  readonly kind: SecretKind;
}

/** Where a guarded value was found. */
export interface SecretHit extends Guarded {
  /** Its encoding there: `raw`, `base64`, `hex in base64`. */
  readonly form: string;
}

/**
 * The secrets of a run: canaries it planted, credentials it uses or was issued. Bytes are scanned for all of them in one
 * pass, however many there are: each encoding of each value is cut into windows of 12 bytes, and every window of the bytes
 * is looked up. A leaked part of two windows' length is found wherever it begins.
 */
export interface SecretRegistry {
  /** Guards a value; values shorter than 12 bytes are ignored, as they occur by chance. */
  register(value: Uint8Array | string, label: string, kind: SecretKind): void;
  /** The guarded values in a text or bytes, whole or in part, encoded or not. */
  find(text: string | Uint8Array): readonly SecretHit[];
  /** The text with every guarded value replaced by its label. */
  redact(text: string): string;
}

/** Encodings inside encodings that are undone: a cursor may be base64 of JSON that holds base64. */
const maxLayers = 2;

/** The name of an encoding inside another. */
function nestedForm(inner: string, outer: string | undefined): string {
  if (outer === undefined) return inner;
  return inner === "raw" ? outer : `${inner} in ${outer}`;
}

/** The bytes of a value as Latin-1 text: for ASCII the same string, so that it is held in memory once. */
function latin1Of(value: Uint8Array | string): string {
  const bytes = bytesOf(value);
  return typeof value === "string" && bytes.length === value.length ? value : bytes.toString("latin1");
}

/** Creates an empty registry. */
export function createSecretRegistry(): SecretRegistry {
  const index = createWindowIndex();
  /** By number of a text in the index: the value it encodes. */
  const hitOf: SecretHit[] = [];
  const forms = new Map<string, string>();
  const known = new Set<string>();

  /** Texts of the index are Latin-1 for bytes, so that UTF-8 and other bytes are scanned alike. */
  function addForm(bytes: string, hit: SecretHit): void {
    hitOf[index.add(bytes)] = hit;
  }

  function scan(bytes: Uint8Array, form: string | undefined, hits: Map<string, SecretHit>): void {
    index.scan(bytes, (_, [first]) => {
      const hit = hitOf[first?.text ?? -1];
      if (hit === undefined || hits.has(hit.label)) return;
      hits.set(hit.label, { ...hit, form: nestedForm(hit.form, form) });
    });
  }

  function search(bytes: Buffer, form: string | undefined, layers: number, hits: Map<string, SecretHit>): void {
    scan(bytes, form, hits);
    if (layers === 0) return;
    for (const { bytes: decoded, form: inner, mayNest } of decodingsOf(bytes)) {
      search(decoded, nestedForm(inner, form), mayNest ? layers - 1 : 0, hits);
    }
  }

  /** Removes runs that hold a value once decoded; where that does not suffice, the whole text. */
  function redactEncoded(text: string, find: SecretRegistry["find"]): string {
    const redacted = replaceRuns(text, (run) => find(run)[0]?.label);
    const [left] = find(redacted);
    return left === undefined ? redacted : `<withheld: it holds ${left.label} (${left.form})>`;
  }

  return {
    register(value, label, kind) {
      const raw = latin1Of(value);
      if (known.has(raw) || raw.length < minGuardedLength) return;
      known.add(raw);
      addForm(raw, { label, kind, form: "raw" });
      for (const [text, form] of encodingsOf(value)) {
        if (forms.has(text)) continue;
        forms.set(text, label);
        if (form !== "raw") addForm(latin1Of(text), { label, kind, form });
      }
    },
    find(text) {
      const hits = new Map<string, SecretHit>();
      const bytes =
        typeof text === "string"
          ? Buffer.from(text, "utf8")
          : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
      search(bytes, undefined, maxLayers, hits);
      return [...hits.values()];
    },
    redact(text) {
      let redacted = text;
      if (this.find(text).length === 0) return text;
      const longestFirst = [...forms].sort(([a], [b]) => b.length - a.length);
      for (const [form, label] of longestFirst) redacted = redacted.replaceAll(form, `<${label}>`);
      // What is left are parts of values: they are removed window by window, in bytes as windows are.
      let bytes = Buffer.from(redacted, "utf8").toString("latin1");
      const leaked = new Set(this.find(redacted).map(({ label }) => label));
      for (const [number, text] of index.texts.entries()) {
        const label = hitOf[number]?.label ?? "";
        if (!leaked.has(label)) continue;
        for (const at of windowOffsets(text))
          bytes = bytes.replaceAll(text.slice(at, at + windowLength), `<part of ${label}>`);
      }
      return redactEncoded(Buffer.from(bytes, "latin1").toString("utf8"), (rest) => this.find(rest));
    },
  };
}
