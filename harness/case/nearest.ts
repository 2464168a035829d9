/** Letters to add, leave out, replace or swap to make one text of the other. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(i - 1, j - 1) + same);
      row.push(swapped ? Math.min(least, at(i - 2, j - 2) + 1) : least);
    }
  }
  return at(a.length, b.length);
}

/** How much of a name a text is, from 0 to 1: by letters, and by the words both have. */
function likeness(text: string, name: string): number {
  const [a, b] = [text.toLowerCase(), name.toLowerCase()];
  if (b.includes(a)) return 0.8 + 0.2 * (a.length / b.length);
  const words = wordsOf(b);
  const shared = wordsOf(a).filter((word) =>
    words.some((one) => one === word || (word.length > 3 && one.startsWith(word))),
  );
  const byWords = (2 * shared.length) / (wordsOf(a).length + words.length);
  const longest = Math.max(a.length, b.length);
  // Where lengths alone are too far apart, letters need not be counted.
  const byLetters = Math.min(a.length, b.length) * 2 < longest ? 0 : 1 - distance(a, b) / longest;
  return Math.max(byWords, byLetters);
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^a-z0-9]+/).filter((word) => word !== "");
}

/** Less is not what somebody meant. */
const near = 0.6;

/**
 * The names nearest to one that does not exist, the best first; none where nothing is near.
 *
 * @param kinds names by kind, those first that are rather meant: of two that are as near, one of an earlier kind is taken
 */
export function nearestOf(text: string, kinds: readonly (readonly string[])[], most = 3): readonly string[] {
  const scored = kinds.flatMap((names, kind) =>
    [...new Set(names)].map((name) => ({ name, kind, score: likeness(text, name) })),
  );
  return scored
    .filter(({ score }) => score >= near)
    .sort((a, b) => b.score - a.score || a.kind - b.kind)
    .slice(0, most)
    .map(({ name }) => name);
}

/** `did you mean A or B`, or where the names are found. */
export function guessed(text: string, kinds: readonly (readonly string[])[], otherwise: string): string {
  const found = nearestOf(text, kinds);
  return found.length === 0 ? otherwise : `did you mean ${found.join(" or ")}?`;
}
