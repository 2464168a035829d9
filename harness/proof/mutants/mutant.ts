import { createHash } from "node:crypto";

/** A change of one node of the reference's source, as the mutation tool made it. */
export interface Mutant {
  /** Number in its build, by which it is switched on. */
  readonly id: string;
  /**
   * What it is, whatever its line: file, enclosing declarations, mutator, text before and after, and its place among
   * equals. Edits elsewhere leave it as it is.
   */
  readonly key: string;
  /** Path below the reference: `core/store.ts`. */
  readonly file: string;
  /** Line in that file, from 1. */
  readonly line: number;
  /** Of the tool's kinds: `ConditionalExpression`. */
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** The written rule that leaves it out, where one does. */
  readonly leftOut?: string;
}

/** What a mutant is made of, before it has a key. */
export type Change = Omit<Mutant, "key"> & {
  /** Names of the declarations it stands in, from the outermost. */
  readonly within: readonly string[];
};

const longest = 70;

/** Code on one line, cut where it is long: what is cut off is told apart by a digest. */
function brief(code: string): string {
  const text = code.replaceAll(/\s+/g, " ").trim();
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 12)}… (${createHash("sha256").update(text).digest("hex").slice(0, 8)})`;
}

/** Gives changes their keys; what reads alike within one declaration is counted from the top. */
export function keyed(changes: readonly Change[]): readonly Mutant[] {
  const seen = new Map<string, number>();
  return changes.map(({ within, ...change }) => {
    const place = [change.file, within.join(".")].filter((part) => part !== "").join(" ");
    const text = `${place} ${change.mutator}: ${brief(change.original)} → ${brief(change.replacement)}`;
    const nth = (seen.get(text) ?? 0) + 1;
    seen.set(text, nth);
    return { ...change, key: nth === 1 ? text : `${text} (${nth})` };
  });
}
