import type { Case } from "../case/case.ts";
import { usualDepth } from "../case/depth.ts";
import type { RunObserver } from "../case/observer.ts";
import type { Instance } from "../case/plan.ts";
import type { Depth, Finding } from "../case/result.ts";
import { runAll } from "../runner/drive.ts";
import { planOrder } from "../runner/order.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { Target } from "../target/target.ts";
import { shortPatience, withServerUnderProof } from "./server-under-proof.ts";

/** How a fault is proved. */
export interface FaultProofOptions {
  readonly cases: readonly Case[];
  readonly seed: number;
  /** Runs per property. */
  readonly runs: number;
  /** How much is asked; default standard. */
  readonly depth?: Depth;
  /** Case and RPC, `version/stale-is-refused alpha.v1.SecretService/RotateSecret`, to put first: what found it before. */
  readonly hint?: string | undefined;
}

/** Whether a fault was found, and by what. */
export interface FaultProof {
  readonly fault: string;
  readonly caught: boolean;
  /** Case that found it first, at the fault's clause and RPC. */
  readonly by?: string;
  /** Case and RPC whose exchange showed it: the hint for the next time. */
  readonly hint?: string;
  /** Findings made before, of another clause or RPC: `case → clause at rpc`. */
  readonly elsewhere: readonly string[];
  readonly durationMs: number;
}

/** True for a finding that names what the fault is: its clause, or one it inevitably breaks too, at its RPC. */
export function isCatchOf(fault: Fault): (finding: Finding) => boolean {
  const clauses = new Set([fault.breaks, ...(fault.also ?? [])]);
  return (finding) => clauses.has(finding.clause) && finding.rpc === fault.rpc;
}

/** True for a finding that names a clause the fault breaks, be it by way of what it is, at its RPC. */
export function isNameOf(fault: Fault): (finding: Finding) => boolean {
  const isCatch = isCatchOf(fault);
  return (finding) =>
    isCatch(finding) || (finding.rpc === fault.rpc && fault.entails?.includes(finding.clause) === true);
}

/** How likely a case is to find a fault: 0 about its RPC and citing its clause, 1 one of the two, undefined neither. */
export function likelihood(fault: Fault): (instance: Instance) => 0 | 1 | undefined {
  const clauses = new Set([fault.breaks, ...(fault.also ?? [])]);
  return ({ row, clauses: cited }) => {
    const near = row.name === fault.rpc;
    const cites = cited.some((id) => clauses.has(id));
    return near && cites ? 0 : near || cites ? 1 : undefined;
  };
}

/** Where nothing was found before: one valid call shows whatever is wrong with the form of every reply. */
const firstProbe = "lifecycle/valid-call-is-served";

/** The case to put first, as `case rpc`. */
export function firstFor(fault: Fault, hint = `${firstProbe} ${fault.rpc}`): string {
  return hint;
}

/** `case rpc` of what made an exchange, without the number of a property's value. */
export function hintOf(by: string): string {
  const [id = "", rpc = ""] = by.split(/[ #]/);
  return `${id} ${rpc}`;
}

/** Puts cases to the server with the fault until one finds it. */
async function search(
  fault: Fault,
  target: Target,
  options: FaultProofOptions,
  how: { readonly select: (instance: Instance) => boolean; readonly concurrency: number },
): Promise<Omit<FaultProof, "fault" | "durationMs">> {
  const isCatch = isCatchOf(fault);
  const likely = likelihood(fault);
  let found: { by: string; hint: string } | undefined;
  const elsewhere: string[] = [];
  const isInvariant = new Set<string>(options.cases.filter(({ kind }) => kind === "invariant").map(({ id }) => id));
  const { cases, seed, runs, depth = usualDepth } = options;
  const observer: RunObserver = {
    onInvariantFinding({ finding, rule, by }) {
      if (isCatch(finding)) found ??= { by: rule, hint: hintOf(by) };
      else elsewhere.push(`${rule} → ${finding.clause} at ${finding.rpc}`);
    },
    onResult(result) {
      // What an invariant concludes it has found before.
      if (isInvariant.has(result.id)) return;
      for (const finding of result.findings) {
        if (isCatch(finding)) found ??= { by: result.id, hint: `${result.id} ${result.rpc}` };
        else elsewhere.push(`${result.id} → ${finding.clause} at ${finding.rpc}`);
      }
    },
  };
  await runAll(planOrder({ target: target.settings, seed, runs, depth }, cases, how.select), cases, {
    skipCleanup: true,
    observers: [observer],
    failFast: isCatch,
    concurrency: how.concurrency,
    rank: (instance) => likely(instance) ?? 2,
  });
  return { caught: found !== undefined, ...found, elsewhere };
}

/**
 * Puts the cases that may find a fault to the server that has it, until one does: first the one that found it before,
 * then those about its RPC and clause, then those about either.
 */
export async function proveFault(fault: Fault, options: FaultProofOptions): Promise<FaultProof> {
  const started = performance.now();
  const hint = firstFor(fault, options.hint);
  const isInvariantOfRpc = ({ case: one, row }: Instance) => one.kind === "invariant" && row.name === fault.rpc;
  const hinted = (instance: Instance) => `${instance.case.id} ${instance.row.name}` === hint;
  const likely = likelihood(fault);
  const proof = await withServerUnderProof(fault, shortPatience, async (target) => {
    const first = await search(fault, target, options, {
      select: (instance) => isInvariantOfRpc(instance) || hinted(instance),
      concurrency: 1,
    });
    if (first.caught) return first;
    const rest = await search(fault, target, options, {
      select: (instance) => isInvariantOfRpc(instance) || (!hinted(instance) && likely(instance) !== undefined),
      // Few at once: once it is found, the rest need not be asked.
      concurrency: 6,
    });
    return { ...rest, elsewhere: [...first.elsewhere, ...rest.elsewhere] };
  });
  return { fault: fault.id, ...proof, durationMs: performance.now() - started };
}
