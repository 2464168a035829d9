/**
 * What a suite may make of a breach. `F`: it fails; `W`: it is a warning; `I`: it is recorded only. `F/W`: the sentence
 * says which. `allowed`: looks like a breach and is none. `client`: binds whoever calls.
 */
export type Verdict = "F" | "W" | "I" | "F/W" | "allowed" | "client";

/** One rule that an outside client can check on a server of Connect with JSON. */
export interface SheetRow {
  /** `CP-U-13`: Connect, unary; `-G-` GET, `-S-` streams, `-C-` the client; `PJ` ProtoJSON, `UU` UUIDs, `TR` traps. */
  readonly id: string;
  readonly verdict: Verdict;
  /** The rule, in our own words. */
  readonly says: string;
}

/** Rows with a heading of their own. */
export interface SheetChapter {
  readonly title: string;
  /** What holds for all of its rows. */
  readonly says?: string;
  readonly rows: readonly SheetRow[];
}

type Line = readonly [verdict: Verdict, id: string, says: string];

/** Writes a chapter of the sheet: lines of `[verdict, id, sentence]`. */
export function chapter(title: string, lines: readonly Line[], says?: string): SheetChapter {
  const rows = lines.map(([verdict, id, text]) => ({ id, verdict, says: text }));
  return { title, ...(says === undefined ? {} : { says }), rows };
}
