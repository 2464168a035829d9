import fc from "fast-check";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { conditionalRows } from "../../harness/models/model.ts";
import { createPatience, type Patience, spentPatienceMs } from "../../harness/models/patience.ts";
import { variedFields } from "../../harness/models/varied-fields.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { ownDeliveryChoice, showsOwnDelivery } from "../../harness/setup/own-delivery.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isSteady, messageOfKind, readRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { plaintextOf } from "../secrecy/plaintext.ts";

/** Sends a mutation for each of the rows, concurrently and at one version. */
async function race(context: CaseContext, subject: Subject, rows: readonly RpcRow[]): Promise<readonly Reply[]> {
  const { setup, call } = context;
  const requests = await Promise.all(
    rows.map(async (row, draw) => ({
      ...(await setup.request(row, subject)),
      ...variedFields(context, row, draw, subject),
    })),
  );
  return sendTogether(rows.length, (batch, index) => {
    const rival = rows[index] ?? context.row;
    return call(rival, requests[index] ?? {}, { baseUrl: setup.baseUrl(rival, subject), batch });
  });
}

/**
 * True for a reply to a mutation that changed something of the record: a second revocation may be served without effect, and
 * a redelivery may be a record of its own.
 */
function wins(reply: Reply, { id, version }: Subject): boolean {
  if (reply.outcome !== "served" || showsOwnDelivery(reply, id)) return false;
  return reply.row.effect === Effect.DELETE || versionOf(recordIn(reply)) !== version;
}

/** True for a served reply whose credential is another than a rival's: each issued its own, though no version moved. */
function issuesItsOwn(reply: Reply, rivals: readonly Reply[]): boolean {
  const issued = plaintextOf(reply);
  if (reply.outcome !== "served" || issued === "") return false;
  return rivals.some((rival) => ![issued, ""].includes(plaintextOf(rival)));
}

/** Judges that at most one mutation won. Returns the winner, where there is one. Throws ChosenOtherwise where none can win. */
function judgeWinner({ judge }: CaseContext, replies: readonly Reply[], subject: Subject): Reply | undefined {
  const winners = replies.filter((reply) => wins(reply, subject) || issuesItsOwn(reply, replies));
  if (winners.length === 0 && replies.some((reply) => showsOwnDelivery(reply, subject.id))) {
    throw new ChosenOtherwise(ownDeliveryChoice);
  }
  const last = winners.at(-1) ?? replies[0];
  if (last === undefined) return undefined;
  const one = judge(last, undefined, winners.slice(0, -1)).satisfies(
    winners.length <= 1,
    `at most one of ${replies.length} mutations at version ${subject.version} succeeds`,
    `${winners.length} did: ${winners.map((reply) => reply.row.method).join(", ")}`,
  );
  return one ? winners[0] : undefined;
}

/** Reads a record until it is at a version, or patience ends. */
async function readAt(context: CaseContext, subject: Subject, version: string, patience: Patience) {
  return context.poll(async () => {
    const now = await context.setup.current(subject);
    return now?.version === version ? now : undefined;
  }, patience.ms);
}

/**
 * Fields in which a reading differs from the reply to a mutation that has no rivals: what is wrong there no race brought
 * about, and the cases about records find it.
 */
async function wrongWithoutRivals(
  context: CaseContext,
  { row }: Reply,
  patience: Patience,
): Promise<ReadonlySet<string>> {
  const { setup } = context;
  const made = await setup.subjectOf(row);
  if (made === undefined || row.effect === Effect.DELETE) return new Set();
  const subject = await pastVersionZero(context, (await setup.current(made)) ?? made);
  const [alone] = await race(context, subject, [row]);
  if (alone?.outcome !== "served") return new Set();
  const shown = recordIn(alone);
  const now = await readAt(context, subject, versionOf(shown), patience);
  return new Set(now === undefined ? [] : differences(messageOfKind(subject.kind, row.package), shown, now.record));
}

/** Judges, now and again a little later, that the stored record is the winner's, and that losers left no side effect. */
async function judgeStored(
  context: CaseContext,
  subject: Subject,
  winner: Reply,
  loser: Reply | undefined,
  patience: Patience,
): Promise<Subject | undefined> {
  const { setup, judge, poll, target } = context;
  const { quietMs } = target.settings.patience;
  const won = recordIn(winner);
  const message = messageOfKind(subject.kind, context.row.package);
  const ended = winner.row.effect === Effect.DELETE;
  // Whether what was revoked is read any more is open.
  const hidden = (now: Subject | undefined) => now === undefined && winner.row.change === Change.REVOKES;
  const left = (now: Subject | undefined) =>
    ended ? now === undefined || setup.isTombstone(now.record) : hidden(now) || now?.version === versionOf(won);
  let now: Subject | undefined;
  // Reads may lag behind writes.
  const caught = await poll(async () => {
    now = await setup.current(subject);
    return left(now) ? true : undefined;
  }, patience.ms);
  if (caught === undefined) patience.spend();
  for (const pauseMs of [0, quietMs]) {
    if (pauseMs > 0) {
      await sleep(pauseMs, context.signal);
      now = await setup.current(subject);
    }
    const different = ended || now === undefined ? [] : differences(message, won, now.record);
    const usual = different.length === 0 ? undefined : await wrongWithoutRivals(context, winner, patience);
    const wrong = different.filter((name) => usual?.has(name) !== true);
    const seen =
      now === undefined
        ? "the record is gone"
        : `version ${now.version}${wrong.map((name) => `, ${name} ${showJson(now?.record[name])}`).join("")}`;
    const held = judge(
      winner,
      ended ? "*.deletion.effective" : "*.versioning.expected",
      loser === undefined ? [] : [loser],
    ).satisfies(
      left(now) && wrong.length === 0,
      ended
        ? `the ${subject.kind} gone, as the winner left it`
        : `version ${versionOf(won)}${wrong.map((name) => `, ${name} ${showJson(won[name])}`).join("")}: what the winner left, and nothing of the others`,
      seen,
    );
    if (!held) return undefined;
  }
  return ended ? undefined : now;
}

/** When a race is read, in milliseconds after its start: the first call may have been served, the others are being refused. */
const readDelayMs = 15;

/** Reads the record during the race, where an RPC reads it. */
async function readDuringRace({ setup, row, signal }: CaseContext, subject: Subject): Promise<Reply | undefined> {
  if (readRowOf(subject.kind, row.package) === undefined) return undefined;
  await sleep(readDelayMs, signal);
  return setup.read(subject);
}

/** Judges that a read during the race showed the record as it was before or as the winner left it, and nothing of the losers. */
function judgeReadDuringRace(
  { judge, row }: CaseContext,
  before: Subject,
  winner: Reply,
  reading: Reply | undefined,
): void {
  if (reading?.outcome !== "served") return;
  const seen = recordIn(reading);
  const stage = [before.record, recordIn(winner)].find((one) => versionOf(one) === versionOf(seen));
  const message = messageOfKind(before.kind, row.package);
  const wrong = stage === undefined ? [] : differences(message, stage, seen);
  judge(reading, "*.records.agree", [winner]).satisfies(
    wrong.length === 0,
    `at version ${versionOf(seen)} ${wrong.map((name) => `${name} ${showJson(stage?.[name])}`).join(", ")}`,
    wrong.map((name) => `${name} ${showJson(seen[name])}`).join(", "),
  );
}

/** For a record that changes by itself: judges that, if it is still at the winner's version, it is as the winner left it. */
async function judgeIfStillWinners(
  context: CaseContext,
  subject: Subject,
  winner: Reply,
  patience: Patience,
): Promise<void> {
  const { setup, judge, row } = context;
  const now = await setup.current(subject);
  const won = recordIn(winner);
  if (winner.row.effect === Effect.DELETE || now === undefined || now.version !== versionOf(won)) return;
  const different = differences(messageOfKind(subject.kind, row.package), won, now.record);
  const usual = different.length === 0 ? undefined : await wrongWithoutRivals(context, winner, patience);
  const wrong = different.filter((name) => usual?.has(name) !== true);
  judge(winner, "*.versioning.expected").satisfies(
    wrong.length === 0,
    `${wrong.map((name) => `${name} ${showJson(won[name])}`).join(", ")}: what the winner left, and nothing of the others`,
    wrong.map((name) => `${name} ${showJson(now.record[name])}`).join(", "),
  );
}

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
      // A record that changes by itself may have left all of them behind; of any other, one must win.
      if (steady && first !== undefined && replies.every(({ outcome }) => outcome !== "served"))
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
