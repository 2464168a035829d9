/**
 * The beginning of a text, as a text of its own: what JavaScript cuts off a text, or puts a cut into, keeps all of it in
 * memory for as long as itself.
 */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), "utf16le").toString("utf16le");
}

/** A text of no more than so many characters, and an ellipsis where it was longer. */
export function ellipted(text: string, length: number): string {
  return text.length <= length ? text : `${beginningOf(text, length)}…`;
}
