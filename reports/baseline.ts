import { count } from "./words.ts";

/** A failure held against the baseline. */
interface Line {
  readonly id: string;
  readonly rpc: string;
  readonly reason: string;
}

/** What the baseline made of a run, ready to be said. */
export interface BaselineView {
  readonly file: string;
  readonly known: readonly Line[];
  readonly fresh: readonly Line[];
  readonly faulty: readonly { readonly id: string; readonly rpc: string; readonly why: string }[];
}

const maxShown = 40;

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - maxShown;
  return [`${title} (${lines.length})`, ...lines.slice(0, maxShown), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** What a baseline made of a run, for a terminal. Known failures are counted, not hidden: the reports have them all. */
export function baselineText({ file, known, fresh, faulty }: BaselineView): string {
  const lines = [
    ...listed(
      "Failures the baseline does not know",
      fresh.map(({ id, rpc, reason }) => `  ✗ ${id} · ${rpc}\n    reason: ${reason}`),
    ),
    ...listed(
      "Baseline entries to see to",
      faulty.map(({ id, rpc, why }) => `  ✗ ${id} · ${rpc} ${why}`),
    ),
  ];
  const sign = fresh.length + faulty.length === 0 ? "✓" : "✗";
  const counts = `${count(known.length, "known failure")} let pass, ${fresh.length} new, ${count(faulty.length, "entry", "entries")} to see to`;
  return [...lines, `${sign} Baseline ${file}: ${counts}`].join("\n");
}
