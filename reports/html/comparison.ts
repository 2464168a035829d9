import { diff, type Piece } from "./diff.ts";
import { layOutJson, looksLikeJson, textOfLine } from "./json-lines.ts";

/** How two texts are best shown beside each other. */
export type Comparison =
  | { readonly kind: "lines"; readonly labels: readonly [string, string]; readonly lines: readonly DiffLine[] }
  | { readonly kind: "words"; readonly before: readonly Span[]; readonly after: readonly Span[] }
  | { readonly kind: "apart" };

/** A line of two documents laid over each other; a changed line has its changed parts marked. */
export interface DiffLine {
  readonly sign: " " | "−" | "+";
  readonly spans: readonly Span[];
}

export interface Span {
  readonly text: string;
  readonly changed: boolean;
}

/** An `actual` that holds what was before and after something that should have changed nothing. */
const change = /^(?:[^{[]*?)before ([{[].*), after ([{[].*)$/s;

/**
 * Compares what was expected with what came. Two documents are laid over each other line by line, also where both stand
 * in `actual` (`before …, after …`); two sentences that have most words in common get their differences marked; others
 * have nothing to compare.
 */
export function compare(expected: string, actual: string): Comparison {
  const [, before, after] = change.exec(actual) ?? [];
  if (before !== undefined && after !== undefined) return compareDocuments(["before", "after"], before, after);
  if (looksLikeJson(expected) && looksLikeJson(actual))
    return compareDocuments(["expected", "actual"], expected, actual);
  const pieces = diff(wordsOf(expected), wordsOf(actual));
  const common = lengthOf(pieces.filter(({ kind }) => kind === "same"));
  const longest = Math.max(expected.length, actual.length);
  if (longest === 0 || common / longest < 0.5) return { kind: "apart" };
  return {
    kind: "words",
    before: spansOf(pieces.filter(({ kind }) => kind !== "new")),
    after: spansOf(pieces.filter(({ kind }) => kind !== "gone")),
  };
}

/** Expected and actual at a glance: of two documents, only what differs. */
export function glanceAt(expected: string, actual: string): readonly [expected: string, actual: string] {
  const comparison = compare(expected, actual);
  if (comparison.kind !== "lines") return [expected, actual];
  const changed = comparison.lines.filter(({ sign }) => sign !== " ");
  if (changed.length === 0) return [expected, actual];
  const write = (lines: readonly DiffLine[]) =>
    lines
      .map(
        ({ sign, spans }) =>
          `${sign} ${spans
            .map(({ text }) => text)
            .join("")
            .trim()}`,
      )
      .join("  ");
  if (comparison.labels[0] === "before") return [expected, write(changed)];
  return [
    write(changed.filter(({ sign }) => sign === "−")) || "nothing more",
    write(changed.filter(({ sign }) => sign === "+")) || "nothing more",
  ];
}

function compareDocuments(labels: readonly [string, string], before: string, after: string): Comparison {
  const lines = (text: string) => (layOutJson(text) ?? []).map(textOfLine);
  const isCut = [before, after].some((text) => text.trimEnd().endsWith("…"));
  const [a, b] = isCut ? [withoutEnd(lines(before)), withoutEnd(lines(after))] : [lines(before), lines(after)];
  return { kind: "lines", labels, lines: diff(a, b).flatMap(linesOf) };
}

/** Lines up to the brackets that close a document: where one is cut short, they would stand out as a difference. */
function withoutEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => !/^\s*[\]}]+$/.test(line)) + 1);
}

function linesOf(piece: Piece<string>, at: number, pieces: readonly Piece<string>[]): readonly DiffLine[] {
  if (piece.kind === "same") return piece.items.map((text) => ({ sign: " ", spans: [{ text, changed: false }] }));
  const gone = piece.kind === "gone";
  const partner = gone ? pieces[at + 1] : pieces[at - 1];
  const others = partner !== undefined && partner.kind !== "same" ? partner.items : [];
  return piece.items.map((text, index) => ({
    sign: gone ? "−" : "+",
    spans: markAgainst(text, others[index], gone),
  }));
}

/** The line with what its counterpart does not have marked; without a like counterpart, the whole line is new. */
function markAgainst(text: string, other: string | undefined, gone: boolean): readonly Span[] {
  if (other === undefined) return [{ text, changed: false }];
  const pieces = gone ? diff(wordsOf(text), wordsOf(other)) : diff(wordsOf(other), wordsOf(text));
  const common = lengthOf(pieces.filter(({ kind }) => kind === "same"));
  if (common / Math.max(text.length, other.length) < 0.3) return [{ text, changed: false }];
  return spansOf(pieces.filter(({ kind }) => kind !== (gone ? "new" : "gone")));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
}

function lengthOf(pieces: readonly Piece<string>[]): number {
  return pieces.reduce((sum, { items }) => sum + items.join("").length, 0);
}

function spansOf(pieces: readonly Piece<string>[]): readonly Span[] {
  return pieces.map(({ kind, items }) => ({ text: items.join(""), changed: kind !== "same" }));
}

/** Lines of a diff with long runs of equal ones folded: a run keeps this many lines at its ends. */
const kept = 3;

export type FoldedLines = readonly (DiffLine | { readonly folded: readonly DiffLine[] })[];

/** Folds what stays equal, so that the difference is seen at once. */
export function fold(lines: readonly DiffLine[]): FoldedLines {
  const folded: (DiffLine | { readonly folded: readonly DiffLine[] })[] = [];
  let run: DiffLine[] = [];
  const close = (last: boolean) => {
    const head = folded.length === 0 ? 0 : kept;
    const tail = last ? 0 : kept;
    if (run.length <= head + tail + 2) folded.push(...run);
    else
      folded.push(
        ...run.slice(0, head),
        { folded: run.slice(head, run.length - tail) },
        ...run.slice(run.length - tail),
      );
    run = [];
  };
  for (const line of lines) {
    if (line.sign === " ") {
      run.push(line);
      continue;
    }
    close(false);
    folded.push(line);
  }
  close(true);
  return folded;
}
