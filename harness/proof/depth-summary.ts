import { areaOf } from "../case/area.ts";
import type { Depth } from "../case/result.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { FaultProof } from "./fault-proof.ts";
import type { Kills } from "./summary.ts";

/** What one run of a depth finds of the planted faults: plain JSON, as `docs/smoke.json` has it. */
export interface DepthSummary extends Kills {
  readonly depth: Depth;
  readonly seed: number;
  readonly runs: number;
  /** Faults there are; `faults` of them, drawn at random, were proved. */
  readonly of: number;
  /** By area of the fault and package: `auth alpha.v1`. */
  readonly areas: Readonly<Record<string, Kills>>;
  readonly durationMs: number;
}

/** A fault that was proved at a depth. */
export interface ProvedAtDepth {
  readonly fault: Fault;
  readonly proof: FaultProof;
}

const killsOf = (proved: readonly ProvedAtDepth[]): Kills => ({
  faults: proved.length,
  caught: proved.filter(({ proof }) => proof.caught).length,
});

/** Sums up what a depth found. */
export function summarizeDepth(
  proved: readonly ProvedAtDepth[],
  asked: Pick<DepthSummary, "depth" | "seed" | "runs" | "of">,
  durationMs: number,
): DepthSummary {
  const groups = [...Map.groupBy(proved, ({ fault }) => `${areaOf(fault.id)} ${fault.package}`)].sort();
  return {
    ...asked,
    ...killsOf(proved),
    areas: Object.fromEntries(groups.map(([name, group]) => [name, killsOf(group)])),
    durationMs: Math.round(durationMs),
  };
}
