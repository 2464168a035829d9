/** Bytes by whether they are one of these letters. */
export function lettersOf(letters: string): Uint8Array {
  const isOne = new Uint8Array(256);
  for (const letter of letters) isOne[letter.charCodeAt(0)] = 1;
  return isOne;
}

/** The letters of base64 in both alphabets, hex digits and hyphens among them. */
const base64Letters = lettersOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-");

/** Digits of hex that hold 12 bytes and more. */
export const hexRun = /[0-9A-Fa-f]{24,}/g;

const onlyHex = /^[0-9A-Fa-f]+$/;
const uuid = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
const uuidLength = 36;

/** Whether a run is hex and nothing else: it is hardly ever base64. */
export const isOnlyHex = (run: string) => onlyHex.test(run);

/** Whether a run is an id, as most are: it encodes nothing. */
export const isUuid = (run: string) => run.length === uuidLength && uuid.test(run);

/** A run in some bytes, as text, and where it begins. */
export interface EncodedRun {
  readonly text: string;
  readonly index: number;
}

/** The runs of letters of base64 that are so long at least, each as far as it goes. */
export const encodedRunsIn = (bytes: Buffer, shortest: number) => runsIn(bytes, shortest, base64Letters);

/**
 * The runs of some letters that are so long at least, each as far as it goes. Looks at one byte in so many, as none that long
 * lies between two: texts of megabytes are mostly words.
 *
 * @param isOfRun which bytes a run is made of, as `lettersOf` gives them
 */
export function* runsIn(bytes: Buffer, shortest: number, isOfRun: Uint8Array): Generator<EncodedRun> {
  const { length } = bytes;
  /** No run that is still to be found begins before. */
  let begin = 0;
  while (begin + shortest <= length) {
    const look = begin + shortest - 1;
    if (isOfRun[bytes[look] ?? 0] === 0) {
      begin = look + 1;
      continue;
    }
    let start = look;
    while (start > begin && isOfRun[bytes[start - 1] ?? 0] === 1) start -= 1;
    let end = look + 1;
    while (end < length && isOfRun[bytes[end] ?? 0] === 1) end += 1;
    if (end - start >= shortest) yield { text: bytes.toString("latin1", start, end), index: start };
    begin = end + 1;
  }
}
