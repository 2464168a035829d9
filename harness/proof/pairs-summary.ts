import type { PairProof } from "./pair-proof.ts";

/** What came of random pairs of faults, each on one server: plain JSON, as `docs/pairs.json` has it. */
export interface PairsSummary {
  readonly seed: number;
  readonly pairs: number;
  /** Pairs of which a report names both. */
  readonly bothNamed: number;
  /** Faults that were not named, and of which the report says why not. */
  readonly notJudged: readonly { readonly fault: string; readonly beside: string; readonly because: string }[];
  /** Faults that were not named, without a word. */
  readonly hidden: readonly { readonly fault: string; readonly beside: string }[];
  readonly durationMs: number;
}

/** Sums pairs up. */
export function summarizePairs(proofs: readonly PairProof[], seed: number, durationMs: number): PairsSummary {
  const ends = proofs.flatMap(({ faults, ends: both }) =>
    both.map(({ fault, is, because = "" }) => ({
      fault,
      is,
      because,
      beside: faults.find((other) => other !== fault) ?? "",
    })),
  );
  return {
    seed,
    pairs: proofs.length,
    bothNamed: proofs.filter((proof) => proof.ends.every(({ is }) => is === "named")).length,
    notJudged: ends
      .filter(({ is }) => is === "not judged")
      .map(({ fault, beside, because }) => ({ fault, beside, because: because.slice(0, 200) })),
    hidden: ends.filter(({ is }) => is === "hidden").map(({ fault, beside }) => ({ fault, beside })),
    durationMs: Math.round(durationMs),
  };
}
