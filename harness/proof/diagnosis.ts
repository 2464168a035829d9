import type { Case } from "../case/case.ts";
import { rootCauseOf } from "../case/root-cause.ts";
import { runAll } from "../runner/drive.ts";
import { planOrder } from "../runner/order.ts";
import type { Fault } from "../servers/faults/fault.ts";
import { isCatchOf, isNameOf, likelihood } from "./fault-proof.ts";
import { shortPatience, withServerUnderProof } from "./server-under-proof.ts";

/** What a user of the suite sees of one fault. */
export interface Diagnosis {
  readonly fault: string;
  /** A red case names the fault's clause and RPC. */
  readonly named: boolean;
  /** What the breach a report begins with names rightly. */
  readonly leadNames: "clause and RPC" | "RPC" | "neither";
  /** `case → clause at rpc` of that breach. */
  readonly lead: string | undefined;
  /** Cases that went red beside the one that names it: the noise. */
  readonly alsoRed: readonly string[];
  readonly durationMs: number;
}

/** Puts everything about the fault's RPC or clause to the server that has it, in the order of a run, to the end. */
export async function diagnose(
  fault: Fault,
  { cases, seed, runs }: { readonly cases: readonly Case[]; readonly seed: number; readonly runs: number },
): Promise<Diagnosis> {
  const started = performance.now();
  const isCatch = isCatchOf(fault);
  const isName = isNameOf(fault);
  const likely = likelihood(fault);
  const { results } = await withServerUnderProof(fault, shortPatience, (target) =>
    runAll(
      planOrder({ target: target.settings, seed, runs }, cases, (instance) => likely(instance) !== undefined),
      cases,
      { skipCleanup: true, concurrency: 16 },
    ),
  );
  const red = results.filter(({ findings }) => findings.length > 0);
  const naming = red.find(({ findings }) => findings.some(isCatch));
  const lead = rootCauseOf(
    red.flatMap((result) => result.findings.map((finding) => ({ finding, by: `${result.id} ${result.rpc}`, result }))),
  );
  return {
    fault: fault.id,
    named: naming !== undefined,
    leadNames: lead?.finding.rpc !== fault.rpc ? "neither" : isName(lead.finding) ? "clause and RPC" : "RPC",
    lead: lead === undefined ? undefined : `${lead.result.id} → ${lead.finding.clause} at ${lead.finding.rpc}`,
    alsoRed: [...new Set(red.filter((result) => result !== naming).map(({ id, rpc }) => `${id} · ${rpc}`))],
    durationMs: performance.now() - started,
  };
}
