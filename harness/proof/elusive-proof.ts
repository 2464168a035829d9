import type { Case } from "../case/case.ts";
import type { Finding } from "../case/result.ts";
import { runAll } from "../runner/drive.ts";
import { planOrder } from "../runner/order.ts";
import type { Fault } from "../servers/faults/fault.ts";
import { isCatchOf } from "./fault-proof.ts";
import { type Rarity, rarely } from "./rarity.ts";
import { type ServerUnderProof, shortPatience, withServerUnderProof } from "./server-under-proof.ts";

/** What one default run said of a fault that shows seldom. */
export interface ElusiveProof {
  readonly fault: string;
  readonly rarity: string;
  /** A finding names its clause at its RPC. */
  readonly named: boolean;
  /** The run went red, by whatever. */
  readonly red: boolean;
  /** How often the fault showed until it was named, or until the end. */
  readonly shown: number;
  readonly durationMs: number;
}

/** Runs everything, as a user does, against the reference with a fault that shows seldom, until it is named. */
export async function proveElusive(
  fault: Fault,
  rarity: Rarity,
  { cases, seed, runs }: { readonly cases: readonly Case[]; readonly seed: number; readonly runs: number },
): Promise<ElusiveProof> {
  const started = performance.now();
  const isCatch = isCatchOf(fault);
  let named = false;
  let red = false;
  let shown = 0;
  const counted: Rarity = {
    ...rarity,
    open: (of) => {
      const { gate, raw } = rarity.open(of);
      const count: typeof gate = (call, reply) => {
        const shows = gate(call, reply);
        if (shows) shown += 1;
        return shows;
      };
      return { gate: count, ...(raw && { raw }) };
    },
  };
  const failFast = (finding: Finding) => {
    red = true;
    named ||= isCatch(finding);
    return named;
  };
  const server = { package: fault.package, decoration: rarely(fault, counted) } as ServerUnderProof;
  await withServerUnderProof(server, shortPatience, (target) =>
    runAll(planOrder({ target: target.settings, seed, runs }, cases), cases, { skipCleanup: true, failFast }),
  );
  return { fault: fault.id, rarity: rarity.id, named, red, shown, durationMs: performance.now() - started };
}
