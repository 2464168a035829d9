import type { Instance } from "../case/plan.ts";
import type { ShardPlan } from "../case/result.ts";
import { hashKeys, hashPlan, type Shard } from "./shard.ts";

/** What all shards of a run have in common. */
export interface Whole {
  /** The plan of the whole run. */
  readonly instances: readonly Instance[];
  readonly commit: string;
  readonly contractHash: string;
  /** The target file; of it only the keys are told. */
  readonly config: unknown;
}

/** Says which part a shard is, and of what. */
export function describeShard({ index, count }: Shard, { instances, commit, contractHash, config }: Whole): ShardPlan {
  const standing = instances.filter(({ case: one }) => one.kind === "invariant").map(({ case: one }) => one.id);
  return {
    index,
    count,
    planned: instances.length,
    planHash: hashPlan(instances.map(({ case: { id }, row }) => ({ id, rpc: row.name }))),
    standing: [...new Set(standing)].sort(),
    commit,
    contractHash,
    targetKeys: hashKeys(config),
  };
}
