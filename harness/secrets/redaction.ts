import { TooMuchToRead } from "./packed.ts";
import { joinedReadingsOf, readingsOf } from "./readings.ts";

/** A part of some bytes that is, or says, a guarded value or a part of one. */
export interface Spot {
  readonly start: number;
  readonly end: number;
  /** What stands in its place: `<alpha api key>`, `<part of alpha api key>`. */
  readonly mark: string;
}

/** Finds guarded values where they stand plainly in bytes, in any order. */
export type Locate = (bytes: Uint8Array) => readonly Spot[];

/** Encodings inside encodings that are undone. */
const maxLayers = 2;

/** What is read beside the bytes themselves, in bytes: so many times their size, and this more. */
const maxReading = { times: 24, more: 2 * 2 ** 20 };

/** Said of bytes that take too long to look into, in place of a label. */
export const unreadable = "more than is looked into";

interface Budget {
  left: number;
}

function spend(budget: Budget, bytes: Uint8Array): void {
  budget.left -= bytes.byteLength;
  if (budget.left < 0) throw new TooMuchToRead("encodings in encodings come to more than is looked into");
}

function spotsIn(bytes: Buffer, locate: Locate, layers: number, budget: Budget): readonly Spot[] {
  const spots = [...locate(bytes)];
  if (layers === 0) return spots;
  for (const reading of readingsOf(bytes)) {
    spend(budget, reading.bytes);
    for (const { start, end, mark } of spotsIn(reading.bytes, locate, layers - 1, budget)) {
      const [from, to] = reading.sourceOf(start, end);
      spots.push({ start: from, end: to, mark });
    }
  }
  return spots;
}

function anySpotIn(bytes: Buffer, locate: Locate, layers: number, budget: Budget): Spot | undefined {
  const [first] = locate(bytes);
  if (first !== undefined || layers === 0) return first;
  for (const reading of joinedReadingsOf(bytes)) {
    spend(budget, reading);
    const found = anySpotIn(reading, locate, layers - 1, budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

const budgetFor = (bytes: Uint8Array): Budget => ({ left: maxReading.times * bytes.byteLength + maxReading.more });

/** What bytes hold of guarded values, in any spelling: the mark of one, or `unreadable`; undefined where they hold nothing. */
export function findMark(bytes: Buffer, locate: Locate): string | undefined {
  try {
    return anySpotIn(bytes, locate, maxLayers, budgetFor(bytes))?.mark;
  } catch (error) {
    if (error instanceof TooMuchToRead) return unreadable;
    throw error;
  }
}

const isContinued = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Spots in order, those that overlap made one under the mark of the longest, none ending within a letter of UTF-8. */
function merged(bytes: Buffer, spots: readonly Spot[]): readonly Spot[] {
  const all: { start: number; end: number; mark: string; longest: number }[] = [];
  for (const { start, end, mark } of spots.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const [last, longest] = [all.at(-1), end - start];
    if (last === undefined || start >= last.end) all.push({ start, end, mark, longest });
    else {
      last.end = Math.max(last.end, end);
      if (longest > last.longest) Object.assign(last, { mark, longest });
    }
  }
  for (const one of all) {
    while (isContinued(bytes[one.start])) one.start -= 1;
    while (isContinued(bytes[one.end])) one.end += 1;
  }
  return all;
}

function replaced(bytes: Buffer, spots: readonly Spot[], dress: (mark: string) => string): string {
  const pieces: Uint8Array[] = [];
  let done = 0;
  for (const { start, end, mark } of merged(bytes, spots)) {
    if (start >= done) pieces.push(bytes.subarray(done, start), Buffer.from(dress(mark)));
    done = Math.max(done, end);
  }
  return Buffer.concat([...pieces, bytes.subarray(done)]).toString("utf8");
}

/** String literals of JSON, which may hold what nobody can read; between them stands what gives a file its form. */
const literals = /("(?:[^"\\\n]|\\.)*")/;

/** A text piece by piece, so that one that cannot be read does not take the form of its file with it. */
function redactPieces(text: string, locate: Locate, dress: (mark: string) => string): string {
  return text
    .split(literals)
    .map((piece, index) => {
      if (index % 2 === 0)
        return piece
          .split(/(?<=\n)/)
          .map((line) => redactWhole(line, locate, dress))
          .join("");
      return `"${redactWhole(piece.slice(1, -1), locate, dress)}"`;
    })
    .join("");
}

const withheld = (what: string) => `<withheld: it holds ${what}>`;

/** Redacts a text, or withholds all of it. `found` is what `findMark` says of its bytes, where that is known. */
function redactWhole(
  text: string,
  locate: Locate,
  dress: (mark: string) => string,
  bytes = Buffer.from(text, "utf8"),
  found = findMark(bytes, locate),
): string {
  if (found === undefined) return text;
  try {
    const redacted = replaced(bytes, spotsIn(bytes, locate, maxLayers, budgetFor(bytes)), dress);
    const left = findMark(Buffer.from(redacted, "utf8"), locate);
    return left === undefined ? redacted : dress(withheld(left));
  } catch (error) {
    if (error instanceof TooMuchToRead) return dress(withheld(unreadable));
    throw error;
  }
}

/** Longer texts are looked through by lines, as many at once as come to so much: what is read of a text is many times its size. */
const maxAtOnce = 2 ** 18;

/** A text in pieces of whole lines, each as long as is looked through at once, or a line that is longer. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const most = start + maxAtOnce;
    const last = most < text.length ? text.lastIndexOf("\n", most) : text.length;
    const cut = last >= start ? last : text.indexOf("\n", most);
    const end = cut === -1 ? text.length : cut + 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** As `redactText`, of a text that is looked through at once. */
function redactAtOnce(text: string, locate: Locate, dress: (mark: string) => string): string {
  const bytes = Buffer.from(text, "utf8");
  const found = findMark(bytes, locate);
  if (found === undefined) return text;
  if (found !== unreadable) return redactWhole(text, locate, dress, bytes, found);
  const pieces = redactPieces(text, locate, dress);
  const left = findMark(Buffer.from(pieces, "utf8"), locate);
  return left === undefined || left === unreadable ? pieces : dress(withheld(left));
}

/**
 * The text without what holds a guarded value. Where something in it cannot be read to its end, the string literals and lines
 * that hold it are withheld, each with a sentence in its place; where a value cannot be taken out at all, the whole text, or of
 * a long one the lines around it.
 *
 * @param dress writes a mark as the form of the text wants it
 */
export function redactText(text: string, locate: Locate, dress = (mark: string) => mark): string {
  if (text.length <= maxAtOnce) return redactAtOnce(text, locate, dress);
  return [...linesOf(text)].map((lines) => redactAtOnce(lines, locate, dress)).join("");
}
