import { resolveClause } from "../proto/clauses/index.ts";
import type { Case, Instance } from "./case.ts";
import type { Fault } from "./faults/fault.ts";
import { onlyService, startEmbedded } from "./reference/embedded.ts";
import type { CaseResult, Finding, Outcome } from "./result.ts";
import { runAll } from "./run-all.ts";
import { checkTarget } from "./target/load.ts";
import type { TargetFile } from "./target/schema.ts";
import { createTarget, type Target } from "./target/target.ts";
import type { Variant } from "./variants/variant.ts";

/** Runs per property and seed of a proof. */
export interface ProofOptions {
  readonly cases: readonly Case[];
  readonly seed: number;
  readonly runs: number;
  /** Of a conforming server: leaves instances out; default none. */
  readonly select?: (instance: Instance) => boolean;
}

/** Whether a fault was found, and by what. */
export interface FaultProof {
  readonly fault: string;
  readonly caught: boolean;
  /** Case that found it first. */
  readonly by: string | undefined;
  /** Findings that name another clause or RPC: `case → clause at rpc`. */
  readonly elsewhere: readonly string[];
  readonly durationMs: number;
}

/** What is wrong with a run that should be spotless: findings of any level, unproven cases, errors. */
export interface Alarm {
  readonly case: string;
  readonly rpc: string;
  readonly what: string;
}

/** What a proof is made on: a reference, decorated or plain, and what its target file says otherwise. */
export type Specimen = Partial<Pick<Variant, "package" | "decoration" | "server" | "target" | "permits">>;

/** Boots a specimen, makes a target of it, and closes it whatever happens. */
export async function withSpecimen<T>(
  { package: packageName = "alpha.v1", decoration = {}, server, target }: Specimen,
  patience: TargetFile["patience"],
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const reference = await startEmbedded(onlyService(packageName, { ...server?.(), decoration }));
  try {
    const file = { ...reference.file, patience };
    return await work(createTarget(checkTarget(target?.(file) ?? file, "the embedded reference")));
  } finally {
    await reference.close();
  }
}

/** For a server with a fault, shorter waits than for a real one: what does not come from an embedded one soon does not come. */
const littlePatience = { replyMs: 3000, settleMs: 3000, deliveryMs: 3000, busyMs: 1000, caseMs: 20_000 };

/** For a conforming server, waits that a busy machine does not use up: what it has to give comes, and ends the wait. */
const muchPatience = { replyMs: 15_000, settleMs: 15_000, deliveryMs: 8000, busyMs: 1000, caseMs: 60_000 };

/** True where a case may find a fault: it is about the fault's RPC, or cites its clause. */
function mayCatch(fault: Fault): (instance: Instance) => boolean {
  const clauses = new Set([fault.breaks, ...(fault.also ?? [])]);
  return ({ case: one, row }) =>
    row.name === fault.rpc || one.clauses.some((id) => clauses.has(resolveClause(id, row.package)?.id ?? ""));
}

/** True where a case is most likely to find it: it is about the fault's RPC and cites its clause. */
function shouldCatch(fault: Fault): (instance: Instance) => boolean {
  return ({ case: one, row }) =>
    row.name === fault.rpc && one.clauses.some((id) => resolveClause(id, row.package)?.id === fault.breaks);
}

/** Runs the cases that may catch a fault against the server that has it, until one does. */
export async function proveFault(fault: Fault, options: ProofOptions): Promise<FaultProof> {
  const started = performance.now();
  const clauses = new Set([fault.breaks, ...(fault.also ?? [])]);
  const isCatch = (finding: Finding) => clauses.has(finding.clause) && finding.rpc === fault.rpc;
  let by: string | undefined;
  const elsewhere: string[] = [];
  await withSpecimen(fault, littlePatience, async (target) => {
    await runAll(target, {
      // Few at once: once it is found, the rest need not be asked.
      atOnce: 6,
      ...options,
      select: mayCatch(fault),
      onResult(result) {
        for (const finding of result.findings) {
          if (isCatch(finding)) by ??= result.id;
          else elsewhere.push(`${result.id} → ${finding.clause} at ${finding.rpc}`);
        }
      },
      first: shouldCatch(fault),
      stop: (run) => by !== undefined || run.standing.findings.some(isCatch),
    });
  });
  return { fault: fault.id, caught: by !== undefined, by, elsewhere, durationMs: performance.now() - started };
}

function alarmsOf(results: readonly CaseResult[], leftovers: readonly string[], permits: readonly Outcome[]): Alarm[] {
  const alarms = results.flatMap((result): Alarm[] => [
    ...result.findings.map((finding) => ({
      case: result.id,
      rpc: finding.rpc,
      what: `${finding.level} ${finding.clause}${finding.at === undefined ? "" : ` at ${finding.at}`}: expected ${finding.expected}; ${finding.actual}`,
    })),
    ...(["held", "violated", ...permits].includes(result.outcome)
      ? []
      : [{ case: result.id, rpc: result.rpc, what: `${result.outcome}: ${result.reason}` }]),
  ]);
  return [...alarms, ...leftovers.map((left) => ({ case: "cleanup", rpc: "", what: `left behind: ${left}` }))];
}

/** Runs every case against a conforming server: whatever is not held is an alarm. */
export async function proveSilence(specimen: Specimen, options: ProofOptions): Promise<readonly Alarm[]> {
  return withSpecimen(specimen, muchPatience, async (target) => {
    const { results, run } = await runAll(target, { atOnce: 16, ...options });
    return alarmsOf(results, run.leftovers, specimen.permits ?? []);
  });
}
