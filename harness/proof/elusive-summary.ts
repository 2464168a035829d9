import type { ElusiveProof } from "./elusive-proof.ts";
import { rarities } from "./rarity.ts";

/** What one default run each said of faults that show seldom: plain JSON, as `docs/elusive.json` has it. */
export interface ElusiveSummary {
  readonly seed: number;
  readonly runs: number;
  readonly rarities: readonly {
    readonly id: string;
    readonly says: string;
    readonly raisedBy: string;
    /** Faults that showed at all. */
    readonly faults: number;
    /** Of these, those that were named, and those with a red run. */
    readonly named: number;
    readonly red: number;
    /** Those that showed, and were not named. */
    readonly missed: readonly string[];
    /** Faults that never showed: no run has such a call of their RPC. */
    readonly unshown: number;
  }[];
  readonly durationMs: number;
}

/** Sums runs up, by rarity. */
export function summarizeElusive(
  proofs: readonly ElusiveProof[],
  { seed, runs }: { readonly seed: number; readonly runs: number },
  durationMs: number,
): ElusiveSummary {
  return {
    seed,
    runs,
    rarities: rarities.map(({ id, says, raisedBy }) => {
      const own = proofs.filter(({ rarity }) => rarity === id);
      const shown = own.filter((one) => one.shown > 0);
      return {
        ...{ id, says, raisedBy },
        faults: shown.length,
        named: shown.filter(({ named }) => named).length,
        red: shown.filter(({ red }) => red).length,
        missed: shown.filter(({ named }) => !named).map(({ fault }) => fault),
        unshown: own.length - shown.length,
      };
    }),
    durationMs: Math.round(durationMs),
  };
}
