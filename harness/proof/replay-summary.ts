/** What became of the command that a report printed of one fault. */
export interface ReplayProof {
  readonly fault: string;
  /**
   * `again`: the command, in a process of its own, showed the breach again that it was printed for. `other`: what it ran was
   * red for something else. `green`: it was not red. `none`: nothing was violated, so no command was printed.
   */
  readonly is: "again" | "other" | "green" | "none";
  /** The breach the report began with: `case RPC clause`. */
  readonly breach?: string;
  /** How often the command was run, where the report calls the breach racy. */
  readonly tries?: number;
}

/** What came of the commands that reports print: plain JSON, as `docs/replay.json` has it. */
export interface ReplaySummary {
  readonly seed: number;
  /** Faults that were planted, and those there are. */
  readonly faults: number;
  readonly of: number;
  /** Reports that printed a command, and commands that showed the breach again. */
  readonly printed: number;
  readonly again: number;
  /** Of these, those whose breach the report calls racy, and how often the command was run at most. */
  readonly racy?: { readonly again: number; readonly mostTries: number };
  /** Commands that did not. */
  readonly lost: readonly ReplayProof[];
  /** Faults whose report printed none: at this seed they broke nothing that gates. */
  readonly silent: readonly string[];
  readonly durationMs: number;
}

/** Sums the commands of reports up. */
export function summarizeReplays(
  proofs: readonly ReplayProof[],
  { seed, of }: Pick<ReplaySummary, "seed" | "of">,
  durationMs: number,
): ReplaySummary {
  const again = proofs.filter(({ is }) => is === "again");
  const racy = again.flatMap(({ tries }) => tries ?? []);
  const silent = proofs.filter(({ is }) => is === "none").map(({ fault }) => fault);
  return {
    seed,
    faults: proofs.length,
    of,
    printed: proofs.length - silent.length,
    again: again.length,
    ...(racy.length === 0 ? {} : { racy: { again: racy.length, mostTries: Math.max(...racy) } }),
    lost: proofs.filter(({ is }) => is === "other" || is === "green"),
    silent,
    durationMs: Math.round(durationMs),
  };
}
