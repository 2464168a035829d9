import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Judged } from "./judge.ts";

/** What was judged so far, in a file, so that judging all can be taken up where it was broken off. */
export interface ProgressFile {
  /** What came of a target, where it was judged already. */
  of(id: string): Judged | undefined;
  add(judged: Judged): void;
}

/** Lines of JSON, of which the last may be cut short; a target judged again counts as judged last. */
export function openProgressFile(file: string): ProgressFile {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  const known = new Map(lines.map((line) => JSON.parse(line) as Judged).map((one) => [one.id, one]));
  return {
    of: (id) => known.get(id),
    add: (judged) => appendFileSync(file, `${JSON.stringify(judged)}\n`),
  };
}
