import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { judgeTraffic, type TrafficVerdict } from "../../harness/models/judge-traffic.ts";
import { countOverlaps } from "../../harness/models/linearizable.ts";
import { modelKind } from "../../harness/models/model.ts";
import { createPatience, oncePatient, type Patience } from "../../harness/models/patience.ts";
import { type Plan, plans } from "../../harness/models/plan.ts";
import { boundShrinking } from "../../harness/models/shrinking.ts";
import { outcomeOf } from "../../harness/models/step-log.ts";
import {
  type ObservedOperation,
  observeReading,
  runTraffic,
  shownAt,
  type TrafficSubject,
} from "../../harness/models/traffic.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { isSteady, siblingsOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Kinds that take long to create: fewer plans are run on them than on others. */
const costly = new Set(["artifact", "job", "run", "approval", "webhook_delivery", "memory_item"]);

/** One RPC for each kind of versioned record: an update, where there is one. Kinds that no RPC reads back are left out. */
function standsForItsKind(row: RpcRow): boolean {
  if (row.expectedVersion === undefined || row.resource === undefined) return false;
  const rows = siblingsOf(row).filter(({ expectedVersion }) => expectedVersion !== undefined);
  return row === (rows.find(({ effect }) => effect === Effect.UPDATE) ?? rows[0]);
}

/** How often a plan is run on a fresh record at most, where too few operations overlapped. */
const maxTries = 3;

/** Runs a plan's clients concurrently on a record; on another record again, where hardly any operations overlapped. */
async function runOverlapping(
  context: CaseContext,
  plan: Plan,
): Promise<{ stand: TrafficSubject; history: readonly ObservedOperation[] }> {
  const { row, setup } = context;
  const kind = modelKind(row.subject, row.package, setup.isTombstone);
  const { chosen } = kind.rules;
  for (let tries = 1; ; tries += 1) {
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const current = await pastVersionZero(context, (await setup.current(subject)) ?? subject);
    // Of records that change by themselves only versions are compared.
    const compared = isSteady(row) ? new Set([...chosen, "revokedAt", "activeVersion"]) : new Set<string>();
    const stand: TrafficSubject = { context, kind, subject: current, compared };
    const history = await runTraffic(stand, plan);
    if (tries === maxTries || countOverlaps(history) >= plan.clients.length - 1) return { stand, history };
  }
}

/** How many smaller plans are tried: a smaller plan may not meet the same race. */
const maxShrinks = 16;

function describeHistory(history: readonly ObservedOperation[]): string {
  const start = Math.min(...history.map(({ called }) => called));
  const time = (ms: number) => (ms === Infinity ? "…" : (ms - start).toFixed(1));
  return history
    .toSorted((a, b) => a.called - b.called)
    .map(
      ({ client, what, called, returned, reply }, index) =>
        `${index + 1}. client ${client}, ${time(called)}–${time(returned)} ms: ${what}${reply === undefined ? "" : ` → ${outcomeOf(reply)}`}`,
    )
    .join("\n");
}

const words = {
  whole: "readings show at once what was written",
  lagging: "readings lag behind what was written",
  tangled: "a history too tangled to be explained within the budget",
};

async function judgeHistory(
  context: CaseContext,
  stand: TrafficSubject,
  history: readonly ObservedOperation[],
  patience: Patience,
): Promise<boolean> {
  const { judge, observe, poll, row } = context;
  const initial = shownAt(stand, stand.subject.record);
  const moves = !isSteady(row);
  let last = await observeReading(stand, history.length);
  let verdict: TrafficVerdict = judgeTraffic(initial, history, last, moves);
  await poll(async () => {
    if (verdict.is !== "behind") return true;
    last = await observeReading(stand, history.length);
    verdict = judgeTraffic(initial, history, last, moves);
    return undefined;
  }, patience.ms);
  if (verdict.is === "behind") patience.spend();
  const operation = verdict.is === "impossible" ? verdict.operation : last;
  const { reply } = operation;
  if (reply === undefined) return true;
  const mutation = verdict.is === "impossible" && verdict.mutation;
  const related = history.flatMap((one) => (one.reply === undefined || one.reply === reply ? [] : [one.reply]));
  const wrong = verdict.is === "impossible" || verdict.is === "behind";
  judge(reply, mutation ? "*.versioning.one-winner" : "*.records.agree", wrong ? related : []).satisfies(
    !wrong,
    mutation
      ? "mutations in some order in which each met the version it expected"
      : verdict.is === "behind"
        ? "the record as the last mutation left it"
        : "a record that some mutation made",
    wrong
      ? `no order explains "${operation.what} → ${outcomeOf(reply)}" of client ${operation.client}; the history:\n${describeHistory([...history, last])}\n`
      : "",
  );
  if (verdict.is === "explained") observe("*.open.consistency", verdict.lagging ? words.lagging : words.whole);
  if (verdict.is === "unknown") observe("*.open.consistency", words.tangled);
  return !wrong;
}

export const linearizable = defineRule({
  id: "version/concurrent-operations-are-linearizable",
  says: "concurrent reads and mutations of a record are linearizable: some order of them explains every reply",
  clauses: ["*.versioning.one-winner", "*.records.agree", "*.open.consistency"],
  rows: standsForItsKind,
  async run(context) {
    const count = Math.ceil(context.run.propertyRuns / (costly.has(context.row.subject) ? 20 : 10));
    const patience = createPatience(context.target.settings.patience.settleMs, oncePatient);
    const check = boundShrinking(async (plan: Plan, inner: CaseContext) => {
      const { stand, history } = await runOverlapping(inner, plan);
      return judgeHistory(inner, stand, history, patience);
    }, maxShrinks);
    await context.property(plans(4, 5), check, count);
  },
});
