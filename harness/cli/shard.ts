import { rollUp, summarise } from "../../reports/rollup.ts";
import type { Results } from "../case/result.ts";
import type { Shard } from "../case/shard.ts";
import { UsageError } from "../target/load.ts";
import type { GateFlags } from "./gates.ts";

/** Flags of a run that is a part of one. */
interface ShardFlags extends GateFlags {
  readonly shard?: Shard;
  readonly seed?: number;
}

/** Flags that ask about the whole run, as they are written. */
const ofTheWhole = {
  baseline: "--baseline",
  updateBaseline: "--update-baseline",
  profile: "--profile",
  updateProfile: "--update-profile",
  requireComplete: "--require-complete",
} as const;

/** @throws UsageError where a part of a run is asked for what only the whole can answer */
export function checkShardFlags(flags: ShardFlags): void {
  if (flags.shard === undefined) return;
  if (flags.seed === undefined) {
    throw new UsageError("--shard needs --seed: all shards of a run draw from one; give each the same.");
  }
  const keys = Object.keys(ofTheWhole) as (keyof typeof ofTheWhole)[];
  const wrong = keys.find((key) => flags[key] !== undefined);
  if (wrong === undefined) return;
  const flag = ofTheWhole[wrong];
  throw new UsageError(`${flag} asks about the whole run; leave it out here and give it to hallmark merge.`);
}

/**
 * What one shard can answer for: its results without the rules it exchanged nothing to conclude from, as another shard
 * may have.
 */
export function ownPart(results: Results, strict = false): Results {
  const { shard, summary } = results;
  if (shard === undefined) return results;
  const invariants = new Set(shard.standing);
  const cases = results.cases.filter(({ id, checks }) => !invariants.has(id) || checks > 0);
  const rpcs = rollUp(cases, [], { strict, ...(results.depth && { depth: results.depth }) });
  return { ...results, cases, rpcs, summary: summarise(cases, rpcs, summary.exchanges) };
}
