import { clause, stronger } from "../../proto/clauses/index.ts";
import type { Instance } from "../case/plan.ts";
import { levelUnder } from "../case/requirements.ts";
import type { CaseResult, ExchangeEvidence, Finding, Outcome } from "../case/result.ts";
import type { InstanceName } from "../case/shard.ts";
import { replayCommand } from "./replay.ts";
import type { Run } from "./run.ts";

/** How a case ended, and why. */
export type Ended = { readonly outcome: Outcome; readonly reason?: string };

/** A finding at the level that the run judges its clause at. */
export function leveled({ order }: Run): (finding: Finding) => Finding {
  return (finding) => ({ ...finding, level: levelUnder(order.requirements, finding.clause, finding.level) });
}

function levelOf(instance: Instance, findings: readonly Finding[], { order }: Run) {
  const [first] = instance.clauses;
  const own = first === undefined ? "open" : levelUnder(order.requirements, first, clause(first).level);
  const [worst, ...rest] = findings.map((finding) => finding.level);
  return worst === undefined ? own : rest.reduce(stronger, worst);
}

/** How a finding without its wording reads: the same breach, seen again. */
function fingerprint(finding: Finding): string {
  return `${finding.clause} ${finding.rpc} ${finding.at ?? ""} ${finding.expected}`;
}

export function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.toReversed().map((finding) => [fingerprint(finding), finding])).values()].toReversed();
}

export function resultOf(
  instance: Instance,
  run: Run,
  ended: Ended,
  trace: {
    readonly checks: number;
    readonly findings: readonly Finding[];
    readonly exchanges: readonly ExchangeEvidence[];
  },
  durationMs: number,
  makers: readonly InstanceName[] = [],
): CaseResult {
  const { row } = instance;
  return {
    id: instance.case.id,
    area: instance.area,
    rpc: row.name,
    says: instance.case.says,
    clauses: instance.clauses,
    level: levelOf(instance, trace.findings, run),
    ...ended,
    findings: trace.findings,
    checks: trace.checks,
    exchanges: trace.exchanges,
    replay: replayCommand(run.order, [{ id: instance.case.id, rpc: row.name }, ...makers]),
    durationMs: Math.round(durationMs),
  };
}
