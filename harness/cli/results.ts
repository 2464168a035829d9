import { createHash } from "node:crypto";
import { rollUp, summarise } from "../../reports/rollup.ts";
import { depthWords, usualDepth } from "../case/depth.ts";
import type { JudgedBy } from "../case/requirements.ts";
import type { CaseResult, JudgedSet, Results, RunSummary } from "../case/result.ts";
import { describeSelection } from "../case/selection.ts";
import { excerptContract } from "../evidence/contract-excerpt.ts";
import type { EvidenceHeader } from "../evidence/events.ts";
import type { RecordedEvidence } from "../evidence/read.ts";
import { withTriage } from "../runner/triage.ts";

/** What was recorded of a run. */
export interface Recorded {
  readonly header: EvidenceHeader;
  readonly results: readonly CaseResult[];
  /** Undefined where the run did not come to its end. */
  readonly summary: RunSummary | undefined;
  /** Its user ended it early. */
  readonly interrupted?: boolean;
  readonly durationMs: number;
  /** Hash that stands for the evidence; undefined where the run did not come to its end. */
  readonly head?: string;
}

/** What evidence says a run came to. */
export function recordedIn({ header, cases, footer, head }: RecordedEvidence): Recorded {
  const results = cases.map(({ result }) => result);
  if (footer === undefined) {
    const durationMs = Date.now() - Date.parse(header.startedAt);
    return { header, results, summary: undefined, durationMs };
  }
  return {
    header,
    results: withTriage(results, footer.triage, { ...header, depth: header.depth ?? usualDepth }),
    summary: footer.summary,
    durationMs: footer.durationMs,
    interrupted: footer.interrupted,
    head,
  };
}

/** What narrowed a run, as reports say it. */
function narrowingOf({ selection, limits, depth }: EvidenceHeader): string[] {
  return [
    ...describeSelection(selection),
    ...(depth === "smoke" ? depthWords({ depth }) : []),
    ...(limits.readOnly === true ? ["--read-only"] : []),
    ...(limits.maxRequests === undefined ? [] : [`--max-requests ${limits.maxRequests}`]),
  ];
}

/** Hashes of what a run was made with and from; none where its evidence is not whole, or older. */
function digestsOf({ header, head }: Recorded): Pick<Results, "digests"> {
  const { tool, contract, config, profile } = header;
  if (head === undefined || tool.hash === undefined) return {};
  const target = createHash("sha256").update(JSON.stringify(config)).digest("hex");
  return {
    digests: {
      suite: tool.hash,
      commit: tool.commit,
      contract: contract.hash,
      target,
      ...(profile === undefined ? {} : { profile }),
      evidence: [head],
    },
  };
}

function namedSet({ version, hash }: JudgedBy): JudgedSet {
  return version === undefined ? { hash } : { version, hash };
}

/** Puts a run's results together: the roll-up per RPC, the counts, and whether it is complete. */
export function composeResults(recorded: Recorded): Results {
  const { header, results, summary, durationMs, interrupted = false } = recorded;
  const selection = narrowingOf(header);
  const verdicts = rollUp(results, header.rpcs, {
    strict: header.strict,
    ...(header.depth && { depth: header.depth }),
  });
  const { tool, target, seed, runs, depth, startedAt, planned, shard, requirements } = header;
  const whole = summary !== undefined && results.length === planned && !interrupted;
  return {
    format: "hallmark-results/1",
    tool: { name: "hallmark", version: tool.version, contract: header.contract.packages.join(", ") },
    target,
    seed,
    runs,
    startedAt,
    durationMs,
    complete: selection.length === 0 && whole,
    selection,
    ...(depth === undefined ? {} : { depth }),
    summary: summarise(results, verdicts, summary?.exchanges ?? 0),
    rpcs: verdicts,
    cases: results,
    observations: summary?.observations ?? [],
    leftovers: summary?.leftovers ?? [],
    ...(summary?.usage === undefined ? {} : { usage: summary.usage }),
    contract: excerptContract(verdicts, results, summary?.observations ?? []),
    ...(requirements === undefined ? {} : { requirements: namedSet(requirements) }),
    ...digestsOf(recorded),
    ...(shard === undefined ? {} : { shard: { ...shard, whole } }),
  };
}
