import fc from "fast-check";
import { expect, test } from "vitest";
import { createWindowIndex, everyOffset, foldedLetters, windowLength, windowOffsets } from "./window-index.ts";

/** Letters that look like chance, the same for the same number. */
function textOf(number: number, length: number): string {
  let state = number + 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(33 + ((state >>> 16) % 90));
  }).join("");
}

function hitsIn(index: ReturnType<typeof createWindowIndex>, text: string): readonly string[] {
  const hits: string[] = [];
  index.scan(Buffer.from(text, "latin1"), (at, places) => {
    for (const place of places) hits.push(`${place.text}.${place.at} at ${at}`);
  });
  return hits;
}

test("a piece of two windows is found wherever it begins, among thousands of texts", () => {
  const index = createWindowIndex();
  const texts = Array.from({ length: 3000 }, (_, number) => textOf(number, 40 + (number % 20)));
  for (const [number, text] of texts.entries()) expect(index.add(text)).toBe(number);
  for (const number of [0, 1, 1499, 2999]) {
    const text = texts[number] ?? "";
    for (let from = 0; from + 2 * windowLength <= text.length; from += 1) {
      const hits = hitsIn(index, `before ${text.slice(from, from + 2 * windowLength)} after`);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.every((hit) => hit.startsWith(`${number}.`))).toBe(true);
    }
  }
  expect(hitsIn(index, textOf(5000, 2000))).toEqual([]);
});

test("the last window of a text is found, however long the text is", () => {
  const index = createWindowIndex();
  const text = textOf(1, 2 * windowLength + 5);
  index.add(text);
  expect(hitsIn(index, text.slice(-windowLength))).toEqual([`0.${text.length - windowLength} at 0`]);
  expect(hitsIn(index, text.slice(-windowLength, -1))).toEqual([]);
});

test("a window that two texts have is the first one's, or shared", () => {
  const [first, second] = ["abcdefghijklAAAAAAAAAAAA", "abcdefghijklBBBBBBBBBBBB"];
  const index = createWindowIndex();
  index.add(first);
  index.add(second);
  expect(hitsIn(index, "abcdefghijkl")).toEqual(["0.0 at 0"]);
  const shared = createWindowIndex();
  shared.addShared(first);
  shared.addShared(second);
  expect(hitsIn(shared, "abcdefghijkl").toSorted()).toEqual(["0.0 at 0", "1.0 at 0"]);
});

/** Letters that fold, and few of them, so that windows meet. */
const letters = fc.string({ unit: fc.constantFrom("a", "A", "b", "B", "+", "-", "/", "_", "0"), maxLength: 60 });
const same = Array.from({ length: 256 }, (_, byte) => byte);

test.each([
  ["as they are", Uint8Array.from(same)],
  ["in any case and alphabet", foldedLetters],
])("finds %s exactly the windows that a plain search does, wherever the bytes begin", (_, folding) => {
  const folded = (text: string) => [...text].map((letter) => folding[letter.charCodeAt(0)]).join();
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 4 }),
      letters,
      fc.nat(7),
      fc.boolean(),
      (texts, around, shift, every) => {
        const index = createWindowIndex(folding);
        const long = texts.filter((text) => text.length >= windowLength);
        const offsetsOf = every ? everyOffset : windowOffsets;
        for (const text of long) index.addShared(text, offsetsOf(text));
        // What is looked for stands in what is searched.
        const searched = texts.join(around);
        const expected = everyOffset(searched).flatMap((at) =>
          long.flatMap((text, number) =>
            offsetsOf(text)
              .filter(
                (from) =>
                  folded(text.slice(from, from + windowLength)) === folded(searched.slice(at, at + windowLength)),
              )
              .map((from) => `${number}.${from} at ${at}`),
          ),
        );
        const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(searched, "latin1")]).subarray(shift);
        const found: string[] = [];
        index.scan(bytes, (at, matches) => void found.push(...matches.map((one) => `${one.text}.${one.at} at ${at}`)));
        expect(found.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: 500 },
  );
});

test("long runs of letters that are written in two ways take no longer than others", () => {
  const index = createWindowIndex(foldedLetters);
  const run = "-_+/".repeat(5000);
  index.add(run, everyOffset(run));
  expect(hitsIn(index, `x${"+/-_".repeat(4)}`).length).toBeGreaterThan(0);
});
