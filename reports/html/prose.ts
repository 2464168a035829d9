/** What may stand before a document for it to be laid out: `HTTP 200 `. */
const lead = /^[^{[]{0,160}?(?=[{[])/;

/**
 * Splits a sentence around the first document in it: `HTTP 200 {"a":1} (sent "1")`. Without a document, or where that comes late, all of
 * it are words; a document that was cut short goes on to the end.
 */
export function splitProse(text: string): readonly [words: string, document: string, rest: string] {
  const [words] = lead.exec(text) ?? [];
  if (words === undefined) return [text, "", ""];
  const end = words.length + lengthOfDocument(text.slice(words.length));
  return [words.trimEnd(), text.slice(words.length, end), text.slice(end).trimStart()];
}

/** Characters up to the bracket that closes the first one; all, where none does. */
function lengthOfDocument(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return text.length;
}
