import type { Case } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, Outcome } from "../case/result.ts";
import { runAll } from "../runner/drive.ts";
import { planOrder } from "../runner/order.ts";
import { compareLeftovers } from "../servers/leftovers.ts";
import { nothingToAsk } from "../target/choice.ts";
import { longPatience, type ServerUnderProof, withServerUnderProof } from "./server-under-proof.ts";

/** How a conforming server is put to the cases. */
export interface FalseAlarmOptions {
  readonly cases: readonly Case[];
  readonly seed: number;
  /** Runs per property. */
  readonly runs: number;
  /** Leaves instances out; default none. */
  readonly select?: (instance: Instance) => boolean;
}

/** What a run on a conforming server must not have: a finding of any level, an unproven case, an error, a leftover, listed or not. */
export interface Alarm {
  readonly case: string;
  readonly rpc: string;
  readonly what: string;
}

/** What came of a conforming server. */
export interface FalseAlarmRun {
  readonly alarms: readonly Alarm[];
  /** Cases put to it. */
  readonly results: number;
  readonly exchanges: number;
  readonly durationMs: number;
}

/** Whether a case was left out for what a variant chooses: the reference itself leaves nothing out. */
const isLeftOut = ({ outcome, reason = "" }: CaseResult, { decoration }: ServerUnderProof) =>
  decoration !== undefined && outcome === "not-exercised" && reason.startsWith(nothingToAsk);

function alarmsOf(results: readonly CaseResult[], server: ServerUnderProof): Alarm[] {
  const permits: readonly Outcome[] = ["held", "violated", ...(server.permits ?? [])];
  return results.flatMap((result): Alarm[] => [
    ...result.findings.map((finding) => ({
      case: result.id,
      rpc: finding.rpc,
      what: `${finding.level} ${finding.clause}${finding.at === undefined ? "" : ` at ${finding.at}`}: expected ${finding.expected}; ${finding.actual}`,
    })),
    ...(permits.includes(result.outcome) || isLeftOut(result, server)
      ? []
      : [{ case: result.id, rpc: result.rpc, what: `${result.outcome}: ${result.reason}` }]),
  ]);
}

/** What is left, or listed as left behind, of other kinds than some. */
const without = (left: readonly string[], kinds: readonly string[] = []) =>
  left.filter((line) => !kinds.includes(line.split(" ")[0] ?? ""));

/** Puts every case to a conforming server: whatever is not held is an alarm. */
export async function runForFalseAlarms(server: ServerUnderProof, options: FalseAlarmOptions): Promise<FalseAlarmRun> {
  const started = performance.now();
  return withServerUnderProof(server, longPatience, async (target, left) => {
    const { cases, seed, runs, select } = options;
    const order = planOrder({ target: target.settings, seed, runs }, cases, select);
    const { results, run } = await runAll(order, cases, { concurrency: 16 });
    const invariants = new Set<string>(cases.filter(({ kind }) => kind === "invariant").map(({ id }) => id));
    // Of an RPC that was asked a part of the questions, an invariant may have seen nothing it judges.
    const sawNothing = ({ id, outcome }: CaseResult) =>
      invariants.has(id) && (outcome === "unproven" || outcome === "not-exercised");
    const judged = results.filter((result) => select === undefined || !sawNothing(result));
    return {
      alarms: [
        ...alarmsOf(judged, server),
        ...without(run.leftovers, server.holds).map((line) => ({
          case: "cleanup",
          rpc: "",
          what: `left behind: ${line}`,
        })),
        ...compareLeftovers(run.leftovers, without(left(), server.outOfReach)).map((what) => ({
          case: "cleanup",
          rpc: "",
          what,
        })),
      ],
      results: results.length,
      exchanges: run.wire.count,
      durationMs: performance.now() - started,
    };
  });
}
