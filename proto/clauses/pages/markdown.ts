import { clauses } from "../index.ts";
import { anchorOf, placesOf, readingsPage } from "../place.ts";
import { readingsOf } from "../readings.ts";

/** Pieces of a page that blank lines set apart. */
export type Blocks = readonly string[];

/** A heading. Its anchor is the one GitHub makes of the title, unless another is given. */
export function heading(level: number, title: string, anchor = anchorOf(title)): string {
  const mark = anchor === anchorOf(title) ? "" : `<a id="${anchor}"></a>`;
  return `${"#".repeat(level)} ${mark}${title}`;
}

/** A table; nothing where it has no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): Blocks {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return rows.length === 0 ? [] : [[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")];
}

/** A list, or a paragraph where there is one text only. */
export function texts(says: string | readonly string[] = []): Blocks {
  if (typeof says === "string") return [says];
  return says.length === 0 ? [] : [says.map((text) => `- ${text}`).join("\n")];
}

/** A page from its blocks, with the note that it is written and not edited. */
export function page(title: string, blocks: Blocks): string {
  const note = "<!-- Written by `npm run generate` from proto/. Do not edit. -->";
  return `${[heading(1, title), note, ...blocks].join("\n\n")}\n`;
}

/** Clauses by the spot they cite: `docs/contract/alpha.v1.md#endpoints-6`. */
const cited = Map.groupBy(
  clauses.flatMap((clause) =>
    placesOf(clause).flatMap(({ page: at, anchors }) => anchors.map((anchor) => ({ clause, spot: `${at}#${anchor}` }))),
  ),
  ({ spot }) => spot,
);

/** A table of the clauses that cite a spot of a page. */
export function clausesAt(at: string, anchor: string): Blocks {
  const rows = (cited.get(`${at}#${anchor}`) ?? []).map(({ clause: { id, level, says, unobservable } }) => {
    const why = unobservable === undefined ? "" : `. No client can observe it: ${unobservable}`;
    const readings = readingsOf(id).map(({ number }) => `[reading ${number}](${fileOf(readingsPage)}#${number})`);
    return [`\`${id}\``, level, `${says}${why}${readings.length === 0 ? "" : ` (${readings.join(", ")})`}`];
  });
  return table(["clause", "level", "what it demands"], rows);
}

/** A page as its neighbours link to it. */
export function fileOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
