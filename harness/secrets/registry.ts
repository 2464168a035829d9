import { bytesOf, formsOf, minGuardedLength, readingsOf, withoutRuns } from "./encodings.ts";
import { createWindowIndex, windowLength, windowPlaces } from "./window-index.ts";

/** What a guarded value is: it decides where it may stand. */
export type SecretKind = "secret value" | "signing secret" | "credential" | "issued credential";

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

/** How often what was decoded is decoded again: a cursor may be base64 of JSON that holds base64. */
const maxLayers = 2;

/** A spelling within a spelling. */
function nested(inner: string, outer: string | undefined): string {
  if (outer === undefined) return inner;
  return inner === "raw" ? outer : `${inner} in ${outer}`;
}

/** The bytes of a value as Latin-1: of plain letters the text itself, which then is held once. */
function latin1Of(value: Uint8Array | string): string {
  const bytes = bytesOf(value);
  return typeof value === "string" && bytes.length === value.length ? value : bytes.toString("latin1");
}

/** Creates an empty registry. */
export function createSecretRegistry(): SecretRegistry {
  const index = createWindowIndex();
  /** What each text of the index spells. */
  const spelled: SecretHit[] = [];
  const forms = new Map<string, string>();
  const known = new Set<string>();

  /** Texts of the index are of bytes, written as Latin-1: a text in UTF-8 and one that is no text are scanned alike. */
  function guard(bytes: string, hit: SecretHit): void {
    spelled[index.add(bytes)] = hit;
  }

  function scan(bytes: Uint8Array, form: string | undefined, hits: Map<string, SecretHit>): void {
    index.scan(bytes, (_, [first]) => {
      const hit = spelled[first?.text ?? -1];
      if (hit === undefined || hits.has(hit.label)) return;
      hits.set(hit.label, { ...hit, form: nested(hit.form, form) });
    });
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
      const raw = latin1Of(value);
      if (known.has(raw) || raw.length < minGuardedLength) return;
      known.add(raw);
      guard(raw, { label, kind, form: "raw" });
      for (const [text, form] of formsOf(value)) {
        if (forms.has(text)) continue;
        forms.set(text, label);
        if (form !== "raw") guard(latin1Of(text), { label, kind, form });
      }
    },
    find(text) {
      const hits = new Map<string, SecretHit>();
      const bytes =
        typeof text === "string"
          ? Buffer.from(text, "utf8")
          : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
      read(bytes, undefined, maxLayers, hits);
      return [...hits.values()];
    },
    redact(text) {
      let redacted = text;
      if (this.find(text).length === 0) return text;
      const longestFirst = [...forms].sort(([a], [b]) => b.length - a.length);
      for (const [form, label] of longestFirst) redacted = redacted.replaceAll(form, `<${label}>`);
      // What is left is a piece of a value: cut it out window by window, in bytes as windows are.
      let bytes = Buffer.from(redacted, "utf8").toString("latin1");
      const leaked = new Set(this.find(redacted).map(({ label }) => label));
      for (const [number, text] of index.texts.entries()) {
        const label = spelled[number]?.label ?? "";
        if (!leaked.has(label)) continue;
        for (const at of windowPlaces(text))
          bytes = bytes.replaceAll(text.slice(at, at + windowLength), `<part of ${label}>`);
      }
      return withoutEncoded(Buffer.from(bytes, "latin1").toString("utf8"), (rest) => this.find(rest));
    },
  };
}
