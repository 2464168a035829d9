import { lettersOf, runsIn } from "./runs.ts";

/** Bytes of which a list of numbers is made: digits of decimal and hex, the `x` of `0x`, and what stands between numbers. */
const isOfList = lettersOf("0123456789abcdefABCDEFxX,:.- \t\r\n");

/** The shortest list of twelve bytes: a digit each, and a sign between. */
const shortestList = 23;

/** Twelve bytes and more, each as a number: `[51, 117, 9]`, `51 117 9`, `51.117.9`, `0x33, 0x75`, `33:75`, `33-75`. */
const spellings = [
  ["decimal bytes", 10, /(?<![\dA-Za-z])(?:\d{1,3}[-,.\s]{1,16}){11,}\d{1,3}(?![\dA-Za-z])/g],
  ["hex bytes", 16, /(?<![\dA-Za-z])(?:(?:0x)?[\dA-Fa-f]{2}[-,.:\s]{1,16}){11,}(?:0x)?[\dA-Fa-f]{2}(?![\dA-Za-z])/g],
] as const;

/** Bytes that stand in a text as a list of numbers, and from where to where. */
export interface ByteList {
  readonly form: (typeof spellings)[number][0];
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The lists of numbers in some bytes that may be bytes, as languages print an array of them. */
export function* byteListsIn(bytes: Buffer): Generator<ByteList> {
  for (const { text, index } of runsIn(bytes, shortestList, isOfList)) yield* listsOf(text, index);
}

function* listsOf(text: string, start: number): Generator<ByteList> {
  for (const [form, base, pattern] of spellings) {
    for (const { 0: list, index } of text.matchAll(pattern)) {
      const numbers = list
        .split(/[-,.:\s]+/)
        .filter(Boolean)
        .map((number) => Number.parseInt(number, base));
      // What is larger than a byte is none, and the list no list of bytes.
      if (numbers.some((number) => number > 255)) continue;
      yield { form, bytes: Buffer.from(numbers), start: start + index, end: start + index + list.length };
    }
  }
}
