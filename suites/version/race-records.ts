import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Patience } from "../../harness/models/patience.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { isVersionRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { messageOfKind } from "../../proto/resources.ts";
import { Change, Effect } from "../../proto/rpcs.ts";
import { race } from "./race-calls.ts";

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

/** Whether a field is stored as the winner asked for it: then no loser changed it, whatever the winner was shown. */
const isAsAsked = ({ request }: Reply, name: string, stored: JsonObject | undefined): boolean =>
  request[name] !== undefined && sameJson(request[name], stored?.[name] ?? null);

/** Judges, now and again a little later, that the stored record is the winner's, and that losers left no side effect. */
export async function judgeStored(
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
    const wrong = different.filter((name) => usual?.has(name) !== true && !isAsAsked(winner, name, now?.record));
    const isMovedOn = !ended && now !== undefined && !left(now) && wrong.length === 0;
    if (isMovedOn && (await isVersionRevisedUntouched(context, subject))) return undefined;
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

/** Judges that a read during the race showed the record as it was before or as the winner left it, and nothing of the losers. */
export function judgeReadDuringRace(
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
export async function judgeIfStillWinners(
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
  const wrong = different.filter((name) => usual?.has(name) !== true && !isAsAsked(winner, name, now.record));
  judge(winner, "*.versioning.expected").satisfies(
    wrong.length === 0,
    `${wrong.map((name) => `${name} ${showJson(won[name])}`).join(", ")}: what the winner left, and nothing of the others`,
    wrong.map((name) => `${name} ${showJson(now.record[name])}`).join(", "),
  );
}
