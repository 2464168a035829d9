import type { CaseResult, Finding, Outcome } from "../harness/case/result.ts";
import { gates } from "./words.ts";

/**
 * What one case says about one RPC. A case speaks of the RPC it is about, and of every other RPC that one of its
 * findings names. Counts, verdicts and every report are made of entries, so they cannot disagree.
 */
export interface Entry {
  readonly case: CaseResult;
  readonly rpc: string;
  readonly outcome: Outcome;
  /** Findings of level `must` and `protocol` against this RPC. */
  readonly findings: readonly Finding[];
  /** The case is about another RPC; this one answered wrongly on the way. */
  readonly borrowed: boolean;
}

/** A broken `should` clause, beside the case that saw it. */
export interface Warning {
  readonly case: CaseResult;
  readonly finding: Finding;
}

/** The entries of one case: first the one of its own RPC, then those of the RPCs it found wanting on the way. */
export function entriesOf(result: CaseResult): readonly Entry[] {
  const blamed = Map.groupBy(
    result.findings.filter((finding) => gates(finding.level)),
    (finding) => finding.rpc,
  );
  const own = blamed.get(result.rpc) ?? [];
  const others = [...blamed].filter(([rpc]) => rpc !== result.rpc);
  return [
    {
      case: result,
      rpc: result.rpc,
      outcome: ownOutcome(result, own.length, others.length),
      findings: own,
      borrowed: false,
    },
    ...others.map(([rpc, findings]): Entry => ({ case: result, rpc, outcome: "violated", findings, borrowed: true })),
  ];
}

/** Another RPC's breach does not violate the case's own RPC, and proves it only where the case judged something. */
function ownOutcome(result: CaseResult, ownFindings: number, blamedOthers: number): Outcome {
  if (ownFindings > 0) return "violated";
  if (result.outcome !== "violated" || blamedOthers === 0) return result.outcome;
  return result.checks > 0 ? "held" : "unproven";
}

/** Broken `should` clauses of a case, whichever RPC they name. */
export function warningsOf(result: CaseResult): readonly Warning[] {
  return result.findings.filter((finding) => finding.level === "should").map((finding) => ({ case: result, finding }));
}
