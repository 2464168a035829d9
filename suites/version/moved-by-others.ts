import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { uploaded } from "../../harness/setup/alpha/upload.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isOver } from "../../harness/wire/states.ts";
import { changingRowOf, isChangeable, readRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { conditional } from "./expected.ts";

/** A record that has moved on since the usual key was shown it: as that key knows it, and the versions it was shown before. */
interface Moved {
  readonly known: Subject;
  readonly over: readonly string[];
  /** The version of now, as another key was shown it. */
  readonly version: string;
}

const complete = rpc("alpha.v1.ArtifactService/CompleteArtifactUpload");
const cancel = rpc("alpha.v1.JobService/CancelJob");

/** Has another key than the usual one make a call that changes a record. */
async function changedBy(context: CaseContext, row: RpcRow, made: Subject): Promise<Moved> {
  const { setup, call, needs } = context;
  const as = await setup.keyWithScope(row);
  let known = made;
  // An upload may count as a change.
  const reply = await callAsItIsNow(context, made, async (current) => {
    known = current;
    // Not read by the usual key: that is not to be shown what comes of it.
    return call(row, await setup.request(row, current), { as, baseUrl: made.baseUrl, unread: "as its kind" });
  });
  if (reply.outcome === "refused" && row === complete)
    throw new ChosenOtherwise("an artifact is complete before it is completed");
  needs(reply);
  return { known, over: [known.version], version: versionOf(recordIn(reply)) };
}

/** Reads a job with another key than the usual one until it is as it is to be; undefined where it does not come to that. */
async function readUntil(
  context: CaseContext,
  job: Subject,
  withinMs: number,
  isThere: (record: Subject["record"]) => boolean,
): Promise<string | undefined> {
  const { setup, poll, row } = context;
  const reads = readRowOf(row.subject, row.package, row.peers);
  if (reads === undefined) throw new Error(`nothing reads a ${row.subject}`);
  const as = await setup.keyWithScope(reads);
  return poll(async () => {
    const record = recordIn(await setup.read(job, { as, baseUrl: job.baseUrl }));
    return isThere(record) ? versionOf(record) : undefined;
  }, withinMs);
}

/** A job that has moved on by itself, and goes on. */
async function runningJob(context: CaseContext): Promise<Moved> {
  await requireJobsCanceled(context);
  const known = await startJob(context, "slow");
  const { quietMs } = context.target.settings.patience;
  const version = await readUntil(context, known, quietMs, (record) => versionOf(record) !== known.version);
  if (version === undefined) throw new ChosenOtherwise("a job stays at the version that it begins at");
  return { known, over: [known.version], version };
}

/** A job that was canceled, where the target cancels what has begun, and has ended since. */
async function endedJob(context: CaseContext): Promise<Moved> {
  const { setup, call, target } = context;
  const isCanceled = await requireJobsCanceled(context).then(
    () => true,
    (error) => {
      if (error instanceof ChosenOtherwise) return false;
      throw error;
    },
  );
  const known = await startJob(context, isCanceled ? "slow" : "succeed");
  const over = [known.version];
  if (isCanceled) {
    const canceled = await callAsItIsNow(context, (await setup.current(known)) ?? known, async (current) => {
      over.push(current.version);
      return call(cancel, await setup.request(cancel, current), { baseUrl: known.baseUrl });
    });
    over.push(versionOf(recordIn(canceled)));
  }
  const version = await readUntil(context, known, target.settings.patience.settleMs, isOver);
  if (version === undefined) throw new ChosenOtherwise("a job goes on though its cancellation was accepted");
  return { known, over, version };
}

/** What changes a record of the row's kind otherwise than by time. */
const changeOf = (row: RpcRow) => changingRowOf(row, Change.SETS) ?? changingRowOf(row, Change.ROTATES);

/** Kinds that move on by themselves, or by what is no change of fields. */
const movesOtherwise = (row: RpcRow) => row.package === "alpha.v1" && ["job", "artifact"].includes(row.subject);

/** Has a record of the row's kind move on behind the usual key's back. */
async function movedOn(context: CaseContext): Promise<Moved> {
  const { row, setup } = context;
  if (row.subject === "job") return row.change === Change.CANCELS ? runningJob(context) : endedJob(context);
  if (row.subject === "artifact") {
    const { artifact } = await uploaded(context, randomContent(context));
    return changedBy(context, complete, artifact);
  }
  const changes = changeOf(row);
  if (changes === undefined) throw new Error(`nothing changes a ${row.subject}`);
  return changedBy(context, changes, await pastVersionZero(context, await setup.fresh(row.subject)));
}

/** Mutations of what another call, or time, may have changed since its owner was shown it. */
const isMoved = (row: RpcRow) =>
  conditional(row) &&
  (movesOtherwise(row) || changeOf(row) !== undefined) &&
  (isChangeable(row) || row.effect === Effect.DELETE || row.change === Change.CANCELS);

export const movedByOthers = defineRule({
  id: "version/earlier-versions-are-refused-to-who-was-shown-them",
  says: "a mutation at a version that a record was at is refused though nothing later was shown to its caller: another key has changed the record since, or it went on by itself",
  clauses: ["*.versioning.expected"],
  rows: isMoved,
  async run(context) {
    const { row, setup, call, judge } = context;
    const { known, over, version } = await movedOn(context);
    // What zero stands for is open.
    const wrong = [...new Set(over)].filter((one) => one !== version && one !== "0");
    if (wrong.length === 0) throw new ChosenOtherwise(`a ${row.subject} stays at its version`);
    for (const one of wrong) {
      const request = await setup.request(row, { ...known, version: one });
      const reply = await call(row, request, { baseUrl: known.baseUrl });
      judge(reply).isRefused({ because: `version ${one} is over: the ${row.subject} has moved on to ${version}` });
      if (reply.outcome === "served") return;
    }
    // The positive control. What another key did may move the record once more: content is verified later.
    const now = row.effect === Effect.DELETE ? await setup.deletable((await setup.current(known)) ?? known) : known;
    judge(await callCurrent(context, { ...now, changesOnlyByMutation: false }), "*.endpoints.served").isServed();
  },
});
