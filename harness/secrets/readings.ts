import { base32In } from "./base32.ts";
import { byteListsIn } from "./byte-lists.ts";
import { isContractWord } from "./contract-words.ts";
import { type Escape, escapes } from "./escapes.ts";
import { gzipMagic, unzippedIn } from "./packed.ts";
import { encodedRunsIn, hexRun, isOnlyHex, isUuid } from "./runs.ts";

/** What part of some bytes says once it is decoded. Texts are Latin-1, one character per byte. */
export interface Reading {
  readonly bytes: Buffer;
  /** Where the decoded bytes `start` to `end` came from. */
  sourceOf(start: number, end: number): readonly [start: number, end: number];
}

/** Shorter runs hold no part of 12 bytes. */
const shortestRun = 16;

const latin1 = (text: string) => Buffer.from(text, "latin1");

/** A text with its escapes undone; undefined where it has none. */
function unescapedReading(text: string, { pattern, undo }: Escape): Reading | undefined {
  const pieces: string[] = [];
  /** The escapes in order: where each begins and ends in the source, and in what was read. */
  const places: { readonly from: number; readonly to: number; readonly start: number; readonly end: number }[] = [];
  let [done, length] = [0, 0];
  for (const { 0: escaped, index } of text.matchAll(pattern)) {
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

/** Hex from either digit, base64 from any of four, base32 from any of eight: what stands before may belong to something else. */
function decodedRun(run: string): readonly Buffer[] {
  if (isUuid(run) || isContractWord(run)) return [];
  const hex = [...run.matchAll(hexRun)].flatMap(({ 0: digits }) =>
    [0, 1].map((skipped) => Buffer.from(digits.slice(skipped, digits.length - ((digits.length - skipped) % 2)), "hex")),
  );
  if (isOnlyHex(run)) return hex;
  return [...hex, ...base32In(run), ...[0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), "base64"))];
}

/** The text of bytes with its escapes undone, by their kind. */
function unescapedReadings(bytes: Buffer): readonly Reading[] {
  const signed = escapes.filter(({ sign }) => bytes.includes(sign));
  if (signed.length === 0) return [];
  const text = bytes.toString("latin1");
  return signed.map((one) => unescapedReading(text, one)).filter((one) => one !== undefined);
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
