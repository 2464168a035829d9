/** Rows of two columns: a name, and what it stands for. */
export type NamedRow = readonly [name: string, text: string];

/** The share of a line that names may take before the text beside them goes below. */
const nameShare = 0.45;
/** Columns between a name and its text, and before text that stands below its name. */
const gap = 2;
const below = 4;

/** Text in lines of at most so many columns, broken between words; a word that is longer has a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/**
 * Names with their texts, the texts in a column of their own where there is room for one, and wrapped to it; that of a
 * name which is too long for its column stands below it.
 *
 * @param columns width of the terminal; undefined where there is none: then each row is one line, for other programs
 */
export function namedRows(rows: readonly NamedRow[], columns: number | undefined): readonly string[] {
  if (columns === undefined) return rows.map(([name, text]) => `${name}${" ".repeat(gap)}${text}`.trimEnd());
  const most = Math.floor(columns * nameShare);
  const fitting = rows.map(([name]) => name.length).filter((length) => length <= most);
  const width = Math.max(0, ...fitting);
  return rows.flatMap(([name, text]) => {
    const isShort = name.length <= most;
    const indent = isShort ? width + gap : below;
    const [first = "", ...rest] = wrapped(text, Math.max(20, columns - indent));
    const further = rest.map((line) => " ".repeat(indent) + line);
    if (first === "") return [name];
    return isShort
      ? [name.padEnd(width + gap) + first, ...further]
      : [name, `${" ".repeat(below)}${first}`, ...further];
  });
}
