import type { FaultProof } from "./fault-proof.ts";
import type { ProofPool } from "./pool.ts";
import type { FaultTask } from "./task.ts";

/**
 * Seeds at which a fault is tried before it counts as missed. Some fire now and then only, others need a race: they are
 * listed with their rate.
 */
const maxTries = 4;

/** Distance between the seeds of two tries: more than a repetition takes seeds, which follow each other. */
const stride = 10_000;

/** Proves a fault, at more seeds where it is not found at the first; ends with the first that finds it. */
export async function proveAtLast(pool: ProofPool, task: FaultTask, tries = maxTries): Promise<readonly FaultProof[]> {
  const proofs: FaultProof[] = [];
  for (let step = 0; step < tries; step += 1) {
    const proof = await pool.prove({ ...task, seed: task.seed + step * stride });
    proofs.push(proof);
    if (proof.caught) break;
  }
  return proofs;
}
