import fc from "fast-check";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { conditionalRows } from "../../harness/models/model.ts";
import { createPatience, type Patience, spentPatienceMs } from "../../harness/models/patience.ts";
import { isVersionRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { isSteady } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeWinner, race, readDuringRace } from "./race-calls.ts";
import { judgeIfStillWinners, judgeReadDuringRace, judgeStored } from "./race-records.ts";

/** How many connections are opened before a race. */
const maxConnections = 8;

/** Has contenders race for one record, round after round, as long as one wins and the record stays; judges each. */
async function runRounds(
  context: CaseContext,
  rounds: readonly (readonly RpcRow[])[],
  patience: Patience,
): Promise<void> {
  const { row, setup, judge } = context;
  const subject = await setup.subjectOf(row);
  if (subject === undefined) throw new Error(`${row.name} has no subject`);
  const steady = isSteady(row);
  // Opens the connections first: on new ones calls would arrive one by one.
  const [now] = await Promise.all(Array.from({ length: maxConnections }, () => setup.current(subject)));
  let current: Subject | undefined = now ?? subject;
  for (const contenders of rounds) {
    if (current === undefined) return;
    current = await pastVersionZero(context, current);
    const [replies, reading] = await Promise.all([
      race(context, current, contenders),
      steady ? readDuringRace(context, current) : undefined,
    ]);
    const winner = judgeWinner(context, replies, current);
    const [first] = replies;
    if (winner === undefined) {
      const isLost = steady && replies.every(({ outcome }) => outcome !== "served");
      // A record that changes by itself, as an endpoint by a delivery, may have left all of them behind; of any other, one must win.
      if (!isLost || first === undefined || (await isVersionRevisedUntouched(context, current))) return;
      judge(first, "*.endpoints.served").satisfies(false, "one of them succeeds", describeReply(first));
      return;
    }
    if (steady) judgeReadDuringRace(context, current, winner, reading);
    if (!steady)
      return current.changesOnlyByMutation ? judgeIfStillWinners(context, current, winner, patience) : undefined;
    current = await judgeStored(
      context,
      current,
      winner,
      replies.find(({ outcome }) => outcome === "refused"),
      patience,
    );
  }
}

export const races = defineRule({
  id: "version/concurrent-mutations-have-one-winner",
  says: "of two to sixteen concurrent mutations at one version at most one succeeds; the stored record is the winner's, and the others have no side effect",
  clauses: ["*.versioning.one-winner", "*.versioning.expected", "*.deletion.effective", "*.records.agree"],
  // Without resources that no RPC reads back: each allows one mutation, and few can be created. `expected.ts` covers them.
  rows: (row) => row.expectedVersion !== undefined && row.resource !== undefined,
  async run(context) {
    const { row, run } = context;
    const rivals = conditionalRows(row.subject, row.package);
    const others = rivals.filter((one) => one !== row);
    const contest = fc.record({ few: fc.integer({ min: 2, max: 7 }), many: fc.integer({ min: 12, max: 16 }) });
    const patience = createPatience(context.target.settings.patience.settleMs, spentPatienceMs);
    await context.property(
      contest,
      async ({ few, many }, inner) => {
        // A record that changes by mutations alone can be compared as a whole after a race.
        const steady = isSteady(row);
        // First against calls of the same RPC; then against all mutations of the record, which may have won before they meet.
        const own = Array.from({ length: few }, () => row);
        const repeatable = steady && row.effect === Effect.UPDATE;
        const mixed = Array.from({ length: repeatable ? many : few + 2 * (many - 12) }, (_, index) =>
          index % 4 === 3 ? (others[Math.trunc(index / 4) % Math.max(1, others.length)] ?? row) : row,
        );
        // What is repeatable races twice for one record, all else for one of its own each time.
        const contests = repeatable ? [[own, mixed]] : [[own], [mixed]];
        for (const rounds of contests) await runRounds(inner, rounds, patience);
      },
      Math.ceil(run.propertyRuns / 20),
    );
  },
});
