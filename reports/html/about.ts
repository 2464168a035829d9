import type { Finding } from "../../harness/case/result.ts";
import type { JsonLine } from "./json-lines.ts";

/** How an invariant says which guarded value leaked; the label stands in its place in evidence. */
const leak = /^(.+) appears in its /;

/** What a finding is about in the documents of its exchanges: the path of a field, or the label of a value that leaked. */
export function marksOf({ at, actual }: Pick<Finding, "at" | "actual">): readonly string[] {
  const [, label] = leak.exec(actual) ?? [];
  return [...(at === undefined ? [] : [at]), ...(label === undefined ? [] : [`<${label}>`])];
}

/** True for a line that stands at one of these paths, or that one of these labels stands in. */
export function isAbout({ path, tokens }: JsonLine, marks: readonly string[]): boolean {
  return marks.some(
    (mark) =>
      (path !== "" && path === mark) || (mark.startsWith("<") && tokens.some(({ text }) => text.includes(mark))),
  );
}
