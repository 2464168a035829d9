import { constants, gunzipSync } from "node:zlib";
import { byteListsIn } from "./byte-lists.ts";
import { encodedRunsIn, hexRun, isOnlyHex, isUuid } from "./runs.ts";

/** What part of some bytes says once it is decoded. Texts are Latin-1, one character per byte. */
export interface Reading {
  readonly bytes: Buffer;
  /** Where the decoded bytes `start` to `end` came from. */
  sourceOf(start: number, end: number): readonly [start: number, end: number];
}

/** What may lie in what is compressed, in bytes; beyond that nobody looks. A thousand results may each show such a body. */
const maxUnzipped = 2 ** 20;

/** What is compressed comes to more than is looked into. */
export class TooMuchToRead extends Error {}

/** Shorter runs hold no part of 12 bytes. */
const shortestRun = 16;
const jsonEscapes = /((?:\\u[0-9A-Fa-f]{4})+)|\\(["\\/])/g;
const percentEscapes = /(?:%[0-9A-Fa-f]{2})+/g;
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08]);
/** Places at which compressed bytes may begin that are tried. */
const maxGzips = 16;

const latin1 = (text: string) => Buffer.from(text, "latin1");

function jsonUnescaped(escaped: string): string {
  if (!escaped.startsWith("\\u")) return escaped.slice(1);
  const codes = escaped.split("\\u").slice(1);
  return Buffer.from(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))), "utf8").toString("latin1");
}

const percentDecoded = (escaped: string) => Buffer.from(escaped.replaceAll("%", ""), "hex").toString("latin1");

/** A text with its escapes undone; undefined where it has none. */
function unescapedReading(text: string, escapes: RegExp, undo: (escaped: string) => string): Reading | undefined {
  const pieces: string[] = [];
  /** The escapes in order: where each begins and ends in the source, and in what was read. */
  const places: { readonly from: number; readonly to: number; readonly start: number; readonly end: number }[] = [];
  let [done, length] = [0, 0];
  for (const { 0: escaped, index } of text.matchAll(escapes)) {
    const plain = text.slice(done, index);
    const said = undo(escaped);
    pieces.push(plain, said);
    const start = length + plain.length;
    length = start + said.length;
    done = index + escaped.length;
    places.push({ from: index, to: done, start, end: length });
  }
  if (places.length === 0) return undefined;
  pieces.push(text.slice(done));
  /** Where one byte of what was read came from: a byte, or an escape. */
  const sourceOfByte = (at: number): readonly [start: number, end: number] => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle]?.start ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    const before = places[low - 1];
    if (before === undefined) return [at, at + 1];
    const after = before.to + at - before.end;
    return at < before.end ? [before.from, before.to] : [after, after + 1];
  };
  return {
    bytes: latin1(pieces.join("")),
    sourceOf: (start, end) => [sourceOfByte(start)[0], sourceOfByte(end - 1)[1]],
  };
}

/** Hex from either digit, base64 from any of four: what stands before may belong to something else. */
function decodedRun(run: string): readonly Buffer[] {
  if (isUuid(run)) return [];
  const hex = [...run.matchAll(hexRun)].flatMap(({ 0: digits }) =>
    [0, 1].map((skipped) => Buffer.from(digits.slice(skipped, digits.length - ((digits.length - skipped) % 2)), "hex")),
  );
  if (isOnlyHex(run)) return hex;
  return [...hex, ...[0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), "base64"))];
}

/** What a gzip stream says, as far as it goes; undefined for what is none. */
function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnzipped, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") return undefined;
    throw new TooMuchToRead("what is compressed comes to more than is looked into");
  }
}

/** The text of bytes with its escapes undone, by their kind. */
function unescapedReadings(bytes: Buffer): readonly Reading[] {
  if (!bytes.includes("\\") && !bytes.includes("%")) return [];
  const text = bytes.toString("latin1");
  const json = text.includes("\\") ? unescapedReading(text, jsonEscapes, jsonUnescaped) : undefined;
  const percent = text.includes("%") ? unescapedReading(text, percentEscapes, percentDecoded) : undefined;
  return [json, percent].filter((one) => one !== undefined);
}

/** What is compressed in bytes, unpacked, with the places where it begins. */
function* unzippedIn(bytes: Buffer): Generator<readonly [at: number, said: Buffer]> {
  let at = bytes.indexOf(gzipMagic);
  for (let tried = 0; at !== -1 && tried < maxGzips; tried += 1) {
    const said = unzipped(bytes.subarray(at));
    if (said !== undefined && said.length > 0) yield [at, said];
    at = bytes.indexOf(gzipMagic, at + 1);
  }
}

/**
 * What else bytes say to one who undoes escapes, decodes what looks like hex, base64 or a list of bytes, or unpacks what is
 * compressed in them: more than is ever meant to be read, as nothing that could be read so may be written. One layer.
 *
 * @throws TooMuchToRead where it comes to more than is looked into
 */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  yield* unescapedReadings(bytes);
  for (const { text: run, index } of encodedRunsIn(bytes, shortestRun)) {
    const whole = [index, index + run.length] as const;
    for (const decoded of decodedRun(run)) yield { bytes: decoded, sourceOf: () => whole };
  }
  for (const { bytes: listed, start, end } of byteListsIn(bytes)) yield { bytes: listed, sourceOf: () => [start, end] };
  for (const [at, said] of unzippedIn(bytes)) yield { bytes: said, sourceOf: () => [at, bytes.length] };
}

/** Bytes that no reading of 12 bytes and more comes from. */
const shortest = 12;
const separator = Buffer.from("\n");

/** The same, in fewer pieces, for one who need not know where it comes from. */
export function joinedReadingsOf(bytes: Buffer): readonly Buffer[] {
  if (bytes.length < shortest) return [];
  const decoded = [
    ...[...encodedRunsIn(bytes, shortestRun)].flatMap((run) => decodedRun(run.text)),
    ...[...byteListsIn(bytes)].map((list) => list.bytes),
  ];
  const packed = decoded.filter((one) => one.includes(gzipMagic));
  return [
    ...unescapedReadings(bytes).map((reading) => reading.bytes),
    ...(decoded.length === 0 ? [] : [Buffer.concat(decoded.flatMap((one) => [one, separator]))]),
    // On their own, as what is compressed may be cut short, and what follows would be taken for the rest.
    ...packed,
    ...[...unzippedIn(bytes)].map(([, said]) => said),
  ];
}
