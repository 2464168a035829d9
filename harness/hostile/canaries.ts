import { constants, gunzipSync } from "node:zlib";

/** A credential in what was written or printed, and how it was spelled there. */
export interface Canary {
  /** Place of the credential among those looked for. */
  readonly credential: number;
  /** `raw`, `base64`, `hex in gzip in base64`, … */
  readonly form: string;
}

/** Looks for credentials, and for every part of them of 12 characters or more, in any spelling. */
export interface CanaryScanner {
  find(bytes: Buffer): readonly Canary[];
}

/** Shorter parts give nothing away that chance does not. */
const shortestPart = 12;

/** What a part of that length comes to in an encoding, in characters. */
const windowLengths = { text: shortestPart, base64: (shortestPart * 4) / 3, hex: shortestPart * 2 } as const;

/** Base64 of bytes wherever the group of three they begin in begins, without what their neighbours mix in. */
function base64At(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  return text.slice(shift === 0 ? 0 : 4, text.length % 4 === 0 ? undefined : -1);
}

/** Spellings that a search for parts finds as they stand; what is escaped, or encoded again, is read first. */
function spellingsOf(credential: string): readonly (readonly [form: string, text: string, window: number])[] {
  const bytes = Buffer.from(credential, "utf8");
  const plain = bytes.toString("latin1");
  const base64 = [0, 1, 2].map((shift) => base64At(bytes, shift));
  const hex = bytes.toString("hex");
  return [
    ["raw", plain, windowLengths.text],
    ["upper case", plain.toUpperCase(), windowLengths.text],
    ["lower case", plain.toLowerCase(), windowLengths.text],
    ["reversed", [...plain].reverse().join(""), windowLengths.text],
    ...base64.map((text) => ["base64", text, windowLengths.base64] as const),
    ...base64.map(
      (text) => ["base64url", text.replaceAll("+", "-").replaceAll("/", "_"), windowLengths.base64] as const,
    ),
    ["hex", hex, windowLengths.hex],
    ["hex", hex.toUpperCase(), windowLengths.hex],
  ];
}

/** What a compressed piece may come to, and all of them: larger ones are bombs, which are no place to hide in. */
const maxUnzipped = 8 * 2 ** 20;
const maxUnzippedInAll = 16 * maxUnzipped;

/** What a gzip stream says, as far as it goes; undefined for what is none, and for bombs. */
function unzipped(bytes: Buffer): Buffer | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnzipped, finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

const code = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16) & 0xff);
const separator = Buffer.from("\n");

/** What else bytes say to one who undoes escapes, or decodes what looks encoded in them: all of one coding in one piece. */
function readingsOf(bytes: Buffer): readonly (readonly [form: string, bytes: Buffer])[] {
  const text = bytes.toString("latin1");
  const escaped = text.includes("\\")
    ? text.replaceAll(/\\u00([0-9a-f]{2})|\\(["\\/])/gi, (_, digits, letter) => letter ?? code(digits))
    : text;
  const percent = text.includes("%") ? text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits) => code(digits)) : text;
  const decoded = (pattern: RegExp, coding: "hex" | "base64") =>
    (text.match(pattern) ?? []).map((run) => Buffer.from(run, coding));
  const hex = decoded(/[0-9a-f]{24,}/gi, "hex");
  const base64 = decoded(/[A-Za-z0-9+/_-]{16,}/g, "base64");
  const numbers = (text.match(/(?:\d{1,3}[, ]{1,2}){11,}\d{1,3}/g) ?? []).map((list) =>
    Buffer.from(list.split(/[, ]+/).map(Number)),
  );
  const plain: Buffer[] = [];
  let budget = maxUnzippedInAll;
  for (const piece of [bytes, ...hex, ...base64]) {
    const said = budget > 0 ? unzipped(piece) : undefined;
    if (said === undefined) continue;
    plain.push(said);
    budget -= said.length;
  }
  const joined = (pieces: readonly Buffer[]) => Buffer.concat(pieces.flatMap((piece) => [piece, separator]));
  return (
    [
      ["JSON-escaped", escaped === text ? undefined : Buffer.from(escaped, "latin1")],
      ["percent-encoded", percent === text ? undefined : Buffer.from(percent, "latin1")],
      ["hex", joined(hex)],
      ["base64", joined(base64)],
      ["numbers", joined(numbers)],
      ["gzip", joined(plain)],
    ] as const
  ).flatMap(([form, said]) => (said === undefined || said.length === 0 ? [] : [[form, said] as const]));
}

/** What is looked at in one piece, and how far pieces overlap. */
const sliceBytes = 64 * 2 ** 20;
const overlapBytes = 2 ** 16;

/** How often what was read is read again. */
const maxLayers = 2;
const tableBits = 24;
const slotOf = (four: number, next: number) =>
  Math.imul(Math.imul(four, 0x9e3779b1) ^ next, 0x85ebca6b) >>> (32 - tableBits);

/** Bytes as words of four: only every fourth place of a text is looked at. */
function wordsOf(bytes: Buffer): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
}

/** A scanner for these credentials; those shorter than a part cannot be told from chance, and are left out. */
export function createCanaryScanner(credentials: readonly string[]): CanaryScanner {
  const windows = new Map<string, Canary>();
  /** Which two words may stand in a window: any part of twelve bytes holds two whole ones. Nearly every place is passed over. */
  const pairs = new Uint8Array(2 ** tableBits);
  for (const [credential, text] of credentials.entries()) {
    for (const [form, spelled, length] of spellingsOf(text)) {
      const bytes = Buffer.from(spelled, "latin1");
      for (let at = 0; at + 8 <= bytes.length; at += 1) {
        pairs[slotOf(bytes.readInt32LE(at), bytes.readInt32LE(at + 4))] = 1;
        const window = spelled.slice(at, at + length);
        if (window.length === length && !windows.has(window)) windows.set(window, { credential, form });
      }
    }
  }

  function lookAround(bytes: Buffer, at: number, within: string, found: Map<string, Canary>): void {
    for (let start = Math.max(at - 3, 0); start <= at; start += 1) {
      for (const length of Object.values(windowLengths)) {
        const hit = windows.get(bytes.toString("latin1", start, start + length));
        if (hit === undefined) continue;
        const form = `${hit.form}${within}`;
        found.set(`${hit.credential} ${form}`, { credential: hit.credential, form });
      }
    }
  }

  function scan(bytes: Buffer, within: string, found: Map<string, Canary>): void {
    const words = wordsOf(bytes);
    for (let word = 0; word + 1 < words.length; word += 1) {
      if (pairs[slotOf(words[word] ?? 0, words[word + 1] ?? 0)] === 1) lookAround(bytes, word * 4, within, found);
    }
  }

  function read(bytes: Buffer, within: string, layers: number, found: Map<string, Canary>): void {
    scan(bytes, within, found);
    if (layers === 0) return;
    for (const [form, said] of readingsOf(bytes)) read(said, ` in ${form}${within}`, layers - 1, found);
  }

  return {
    find(bytes) {
      const found = new Map<string, Canary>();
      for (let start = 0; start === 0 || start < bytes.length; start += sliceBytes) {
        read(bytes.subarray(start, start + sliceBytes + overlapBytes), "", maxLayers, found);
      }
      // What shows in plain sight shows under its escapes, too.
      const layers = ({ form }: Canary) => form.split(" in ").length;
      return [...Map.groupBy(found.values(), ({ credential }) => credential).values()].flatMap((hits) => {
        const least = Math.min(...hits.map(layers));
        return hits.filter((hit) => layers(hit) === least);
      });
    },
  };
}
