import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { judgeTraffic, type TrafficVerdict } from "../../harness/models/judge-traffic.ts";
import { countOverlaps } from "../../harness/models/linearization.ts";
import { modelKind } from "../../harness/models/model.ts";
import { createPatience, type Patience, spentPatienceMs } from "../../harness/models/patience.ts";
import { boundShrinking } from "../../harness/models/shrinking.ts";
import {
  type ObservedOperation,
  observeRead,
  runTraffic,
  type SharedRecord,
  shownRecordOf,
} from "../../harness/models/traffic.ts";
import { contradictionIn, describeTraffic } from "../../harness/models/traffic-contradiction.ts";
import { type TrafficPlan, trafficPlans } from "../../harness/models/traffic-plan.ts";
import { isVersionRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { ownDeliveryChoice } from "../../harness/setup/own-delivery.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isSteady, siblingsOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Kinds that take long to create: fewer plans are run on them. */
const slowKinds = new Set(["artifact", "job", "run", "approval", "webhook_delivery", "memory_item"]);

/** One row for each kind whose mutations expect a version: its update, where it has one. Kinds that no RPC shows are left out. */
function representsKind(row: RpcRow): boolean {
  if (row.expectedVersion === undefined || row.resource === undefined) return false;
  const rows = siblingsOf(row).filter(({ expectedVersion }) => expectedVersion !== undefined);
  return row === (rows.find(({ effect }) => effect === Effect.UPDATE) ?? rows[0]);
}

/** How often a plan is run at most, each time on a new record, until operations overlap. */
const maxTries = 3;

/** Runs a plan on a new record, and again on another where too few operations overlapped. */
async function runOverlapping(
  context: CaseContext,
  plan: TrafficPlan,
): Promise<{ shared: SharedRecord; history: readonly ObservedOperation[] }> {
  const { row, setup } = context;
  const kind = modelKind(row.subject, row.package, setup.isTombstone);
  const { callerFields } = kind.rules;
  for (let tries = 1; ; tries += 1) {
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const current = await pastVersionZero(context, (await setup.current(subject)) ?? subject);
    // Of records that change by themselves only versions are compared.
    const comparedFields = isSteady(row) ? new Set([...callerFields, "revokedAt", "activeVersion"]) : new Set<string>();
    const shared: SharedRecord = { context, kind, subject: current, comparedFields };
    const history = await runTraffic(shared, plan);
    if (tries === maxTries || countOverlaps(history) >= plan.clients.length - 1) return { shared, history };
  }
}

/** Smaller plans to try: one may not meet the same race. */
const maxShrinks = 16;

/** True where a mutation of the history revoked the record, or may have: its client hung up. */
function hasRevoked(history: readonly ObservedOperation[]): boolean {
  return history.some(({ effect, revokes }) => revokes === true && (effect.kind === "write" || effect.kind === "lost"));
}

/** True where every mutation that was served made a record of its own, so that none need have an order. */
function madeOthersOnly(history: readonly ObservedOperation[]): boolean {
  const kinds = new Set(history.map(({ effect }) => effect.kind));
  return kinds.has("elsewhere") && !kinds.has("write") && !kinds.has("delete");
}

/** Observed values of `open.consistency`. */
const consistency = {
  immediate: "readings show at once what was written",
  lagging: "readings lag behind what was written, or show a state in between",
  unknown: "a history too tangled to be explained within the budget",
};

async function judgeHistory(
  context: CaseContext,
  shared: SharedRecord,
  history: readonly ObservedOperation[],
  patience: Patience,
  movesUntouched: (subject: Subject) => Promise<boolean>,
): Promise<boolean> {
  const { judge, observe, poll, row } = context;
  const initial = shownRecordOf(shared, shared.subject.record);
  const changesByItself = !isSteady(row);
  let last = await observeRead(shared, history.length);
  let verdict: TrafficVerdict = judgeTraffic(initial, history, last, changesByItself);
  await poll(async () => {
    if (verdict.is !== "last-read-stale") return true;
    last = await observeRead(shared, history.length);
    verdict = judgeTraffic(initial, history, last, changesByItself);
    return undefined;
  }, patience.ms);
  if (verdict.is === "last-read-stale") patience.spend();
  const isSuspect = verdict.is === "impossible" || verdict.is === "last-read-stale";
  // What is delivered to an endpoint may move it while it is called.
  if (isSuspect && !changesByItself && (await movesUntouched(shared.subject)))
    verdict = judgeTraffic(initial, history, last, true);
  // Whether what was revoked is read any more is open.
  if (verdict.is === "last-read-stale" && last.effect.kind === "not-found" && hasRevoked(history)) {
    observe("*.open.transitions", "what was revoked is not read");
    return true;
  }
  const isMutation = verdict.is === "impossible";
  const operation = verdict.is === "impossible" ? verdict.operation : last;
  const { reply } = operation;
  if (reply === undefined) return true;
  const related = history.flatMap((one) => (one.reply === undefined || one.reply === reply ? [] : [one.reply]));
  const contradiction =
    verdict.is === "impossible" || verdict.is === "last-read-stale"
      ? contradictionIn(shared, history, last, verdict)
      : undefined;
  const violated = contradiction !== undefined;
  judge(reply, isMutation ? "*.versioning.one-winner" : "*.records.agree", violated ? related : []).satisfies(
    !violated,
    isMutation
      ? "an order of the mutations in which each finds the version it expects"
      : "the record as the last mutation left it",
    violated ? describeTraffic(contradiction) : "",
    contradiction?.at,
  );
  if (verdict.is === "explained")
    observe("*.open.consistency", verdict.lagging ? consistency.lagging : consistency.immediate);
  if (verdict.is === "unknown") observe("*.open.consistency", consistency.unknown);
  return !violated;
}

export const linearizable = defineRule({
  id: "version/concurrent-operations-are-linearizable",
  says: "concurrent mutations of a record are linearizable: some order of them explains every reply, and the record as it is read afterwards",
  clauses: ["*.versioning.one-winner", "*.records.agree", "*.open.consistency"],
  rows: representsKind,
  async run(context) {
    const count = Math.ceil(context.run.propertyRuns / (slowKinds.has(context.row.subject) ? 20 : 10));
    const patience = createPatience(context.target.settings.patience.settleMs, spentPatienceMs);
    // Found out once: each look takes seconds.
    let moves: Promise<boolean> | undefined;
    const movesUntouched = (subject: Subject) => {
      moves ??= isVersionRevisedUntouched(context, subject);
      return moves;
    };
    const check = boundShrinking(async (plan: TrafficPlan, inner: CaseContext) => {
      const { shared, history } = await runOverlapping(inner, plan);
      const held = await judgeHistory(inner, shared, history, patience, movesUntouched);
      if (held && madeOthersOnly(history)) throw new ChosenOtherwise(ownDeliveryChoice);
      return held;
    }, maxShrinks);
    await context.histories(trafficPlans(4, 5), check, count);
  },
});
