import { bytesOf, decodingsOf, encodingsOf, minGuardedLength } from "./encodings.ts";
import { findMark, redactText, type Spot } from "./redaction.ts";
import { secretPartOf } from "./signed-token.ts";
import { signingKeyOf } from "./signing-key.ts";
import {
  createWindowIndex,
  everyOffset,
  foldedLetters,
  type WindowIndex,
  type WindowMatch,
  windowLength,
} from "./window-index.ts";

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
 *
 * What is judged and what may be written are two questions: `find` tells what a server must not have sent, `leak` and
 * `redact` know more spellings, and every part of 12 bytes of a credential.
 */
export interface SecretRegistry {
  /**
   * Guards a value, of a signed token its signature; values shorter than 12 bytes are ignored, as they occur by chance.
   * What is written holds no part of the claims either.
   */
  register(value: Uint8Array | string, label: string, kind: SecretKind): void;
  /**
   * Makes a text known as one that anybody may say: a part of a value that stands in it too is no sign of the value. To be
   * called before values are guarded; not for what is written, where such a part stays hidden.
   */
  allow(text: string): void;
  /** Keeps a credential out of what is written. To receive it back is no breach. */
  conceal(value: Uint8Array | string, label: string): void;
  /**
   * The guarded values in a text or bytes, whole or in part, encoded or not; one for each label.
   *
   * @param except numbers of values that may be there, as `numbersIn` gives them
   */
  find(text: string | Uint8Array, except?: ReadonlySet<number>): readonly SecretHit[];
  /** Numbers of all the guarded values in a text or bytes: which they are, whatever they are labelled. */
  numbersIn(text: string | Uint8Array): ReadonlySet<number>;
  /**
   * What a text or bytes hold that must not be written, as its mark (`<alpha api key>`): a secret value, or 12 bytes and more
   * of a credential, in upper or lower case, reversed, escaped, in base64, in hex, compressed, or two of these at once.
   */
  leak(text: string | Uint8Array): string | undefined;
  /**
   * The text without what `leak` finds, marks in its place.
   * @param dress writes a mark as the form of the text wants it
   */
  redact(text: string, dress?: (mark: string) => string): string;
}

/** One encoding of a guarded value: the value's number, and what is said where it is found. */
interface Form {
  readonly value: number;
  readonly hit: SecretHit;
}

/** Encodings inside encodings that are undone: a cursor may be base64 of JSON that holds base64. */
const maxLayers = 2;

/**
 * Bytes up to which the encodings of a value are guarded like the value itself. Of a longer one they would take megabytes, and are
 * found all the same, as what is looked through is decoded, too: all but one that is reversed.
 */
const maxEncoded = 4096;

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

function bufferOf(text: string | Uint8Array): Buffer {
  return typeof text === "string"
    ? Buffer.from(text, "utf8")
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}

/** Where windows of an index stand in bytes, each with as much of its text around it as stands there, too. */
function spotsOf(index: WindowIndex, bytes: Uint8Array, labelOf: (text: number) => string): readonly Spot[] {
  const { texts, folding } = index;
  const spots: Spot[] = [];
  let done = 0;

  function spotAround(at: number, { text: number, at: offset }: WindowMatch): Spot {
    const text = texts[number] ?? "";
    const isSame = (place: number, letter: number) => folding[bytes[place] ?? 0] === folding[text.charCodeAt(letter)];
    let [before, after] = [0, windowLength];
    while (before < at && before < offset && isSame(at - before - 1, offset - before - 1)) before += 1;
    while (at + after < bytes.length && offset + after < text.length && isSame(at + after, offset + after)) after += 1;
    const label = labelOf(number);
    const mark = before + after >= text.length ? `<${label}>` : `<part of ${label}>`;
    return { start: at - before, end: at + after, mark };
  }

  index.scan(bytes, (at, matches) => {
    if (at + windowLength <= done) return;
    const [longest] = matches
      .filter((match) => labelOf(match.text) !== "")
      .map((match) => spotAround(at, match))
      .toSorted((a, b) => b.end - b.start - (a.end - a.start));
    if (longest === undefined) return;
    spots.push(longest);
    done = longest.end;
  });
  return spots;
}

/** Credentials, and every part of them that is a window long, in any case, forwards and backwards. */
function createPartIndex() {
  const index = createWindowIndex(foldedLetters);
  const labels: string[] = [];
  return {
    add(text: string, label: string): void {
      for (const spelled of [text, [...text].reverse().join("")])
        labels[index.addShared(spelled, everyOffset(spelled))] = label;
    },
    locate: (bytes: Uint8Array) => spotsOf(index, bytes, (text) => labels[text] ?? ""),
  };
}

/** Creates an empty registry. */
export function createSecretRegistry(): SecretRegistry {
  const index = createWindowIndex();
  const parts = createPartIndex();
  /** By number of a text in the index: the value it encodes. */
  const formOf: Form[] = [];
  const forms = new Set<string>();
  const known = new Set<string>();
  const concealed = new Set<string>();

  /** Texts of the index are Latin-1 for bytes, so that UTF-8 and other bytes are scanned alike. */
  function addForm(bytes: string, form: Form): void {
    formOf[index.add(bytes)] = form;
  }

  /** Adds the encodings of a value that are not known yet, but for the value as it is. */
  function addEncodings(value: Uint8Array | string, formOfValue: (encoding: string) => Form): void {
    for (const [text, encoding] of encodingsOf(value)) {
      if (forms.has(text) || (value.length > maxEncoded && encoding !== "reversed")) continue;
      forms.add(text);
      if (encoding !== "raw") addForm(latin1Of(text), formOfValue(encoding));
    }
  }

  type Found = (form: Form, outer: string | undefined) => void;

  function search(bytes: Buffer, outer: string | undefined, layers: number, found: Found): void {
    index.scan(bytes, (_, [first]) => {
      const form = formOf[first?.text ?? -1];
      if (form !== undefined) found(form, outer);
    });
    if (layers === 0) return;
    for (const { bytes: decoded, form: inner, mayNest } of decodingsOf(bytes)) {
      search(decoded, nestedForm(inner, outer), mayNest ? layers - 1 : 0, found);
    }
  }

  function conceal(value: Uint8Array | string, label: string): void {
    const raw = latin1Of(value);
    if (concealed.has(raw) || raw.length < minGuardedLength) return;
    concealed.add(raw);
    parts.add(raw, label);
  }

  const labelOf = (text: number) => formOf[text]?.hit.label ?? "";
  const locate = (bytes: Uint8Array) => [...parts.locate(bytes), ...spotsOf(index, bytes, labelOf)];

  return {
    register(registered, label, kind) {
      // Of the values that properties store there are many thousands, and nobody's door is opened by a part of one.
      if (kind !== "secret value") conceal(registered, label);
      const secret = kind === "secret value" ? registered : secretPartOf(registered);
      const raw = latin1Of(secret);
      if (known.has(raw) || raw.length < minGuardedLength) return;
      const value = known.size;
      known.add(raw);
      addForm(raw, { value, hit: { label, kind, form: "raw" } });
      addEncodings(secret, (form) => ({ value, hit: { label, kind, form } }));
      const key = kind === "signing secret" ? signingKeyOf(secret) : undefined;
      if (key === undefined) return;
      conceal(key, label);
      addForm(latin1Of(key), { value, hit: { label, kind, form: "the bytes it encodes" } });
      addEncodings(key, (form) => ({ value, hit: { label, kind, form: `${form} of the bytes it encodes` } }));
    },
    allow(text) {
      // A window keeps the text it was first added for, which is no form of a value here.
      for (const encoded of [...encodingsOf(text).keys()].map(latin1Of)) index.add(encoded, everyOffset(encoded));
    },
    conceal,
    find(text, except) {
      const hits = new Map<string, SecretHit>();
      search(bufferOf(text), undefined, maxLayers, ({ value, hit }, outer) => {
        if (hits.has(hit.label) || except?.has(value) === true) return;
        hits.set(hit.label, { ...hit, form: nestedForm(hit.form, outer) });
      });
      return [...hits.values()];
    },
    numbersIn(text) {
      const numbers = new Set<number>();
      search(bufferOf(text), undefined, maxLayers, ({ value }) => numbers.add(value));
      return numbers;
    },
    leak: (text) => findMark(bufferOf(text), locate),
    redact: (text, dress) => redactText(text, locate, dress),
  };
}
