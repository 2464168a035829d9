/** Letters of base32 that hold 12 bytes and more, in one case: a mixture of both is none. */
const base32Run = /[A-Z2-7]{20,}|[a-z2-7]{20,}/g;

/** Letters of one group, which hold five bytes: what stands before a value shifts it by some of them. */
const group = 8;
const bitsOfLetter = 5;

/** The bytes of a run of base32 (RFC 4648 §6) from a letter on; what does not make up a byte is left out. */
function decoded(run: string, from: number): Buffer {
  const bytes: number[] = [];
  let [value, bits] = [0, 0];
  for (let at = from; at < run.length; at += 1) {
    const code = run.charCodeAt(at);
    // Digits stand behind the letters.
    const letter = code < 0x41 ? code - 0x32 + 26 : (code & 0x1f) - 1;
    value = ((value << bitsOfLetter) | letter) & 0xfff;
    bits += bitsOfLetter;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** What runs of base32 in a text may say: from each letter of their first group, as those before may belong to something else. */
export function base32In(text: string): readonly Buffer[] {
  return (text.match(base32Run) ?? []).flatMap((run) =>
    Array.from({ length: group }, (_, start) => decoded(run, start)),
  );
}
