import { stronger } from "../../proto/clauses/index.ts";
import type { CaseResult, ExchangeEvidence, Finding, Outcome } from "../case/result.ts";
import { maxFindings, placeOf } from "../runner/invariants.ts";

/** Outcomes of a rule that shards concluded, the one that stands for all of them first. */
const decisive: readonly Outcome[] = ["error", "violated", "held", "not-exercised", "unproven"];

/** The same breach, whichever shard saw it. */
function fingerprint({ clause, rpc, at }: Finding): string {
  return `${clause} ${rpc} ${placeOf(at)}`;
}

/** Findings of all, each breach once, with the exchanges they point at numbered anew. */
function uniteFindings(results: readonly CaseResult[]): Pick<CaseResult, "findings" | "exchanges"> {
  const findings = new Map<string, Finding>();
  const exchanges: ExchangeEvidence[] = [];
  for (const result of results) {
    for (const finding of result.findings) {
      if (findings.has(fingerprint(finding)) || findings.size >= maxFindings) continue;
      const shown = result.exchanges.filter(({ number }) => finding.exchanges.includes(number));
      const numbered = shown.map((exchange, place) => ({ ...exchange, number: exchanges.length + place + 1 }));
      exchanges.push(...numbered);
      findings.set(fingerprint(finding), { ...finding, exchanges: numbered.map(({ number }) => number) });
    }
  }
  return { findings: [...findings.values()], exchanges };
}

/**
 * What an invariant came to over all shards, each of which concluded it over what it exchanged: violated where one
 * is, held where one is and none violated, otherwise what the shards lacked.
 */
export function uniteConclusions(first: CaseResult, others: readonly CaseResult[]): CaseResult {
  const results = [first, ...others];
  const outcome = decisive.find((one) => results.some((result) => result.outcome === one)) ?? first.outcome;
  const united = uniteFindings(results);
  const reasons = results.flatMap((one) => (one.outcome === outcome && one.reason !== undefined ? [one.reason] : []));
  const [reason] = reasons.sort();
  const [level, ...levels] = united.findings.map((finding) => finding.level);
  // What broke it ran in the shard that saw it.
  const { reason: _reason, ...rest } = results.find((one) => one.outcome === outcome) ?? first;
  return {
    ...rest,
    ...united,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    level: level === undefined ? first.level : levels.reduce(stronger, level),
    checks: results.reduce((sum, { checks }) => sum + checks, 0),
    durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}
