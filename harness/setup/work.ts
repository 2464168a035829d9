import type { JsonObject } from "@bufbuild/protobuf";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { showJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { isOver, showsState } from "../wire/states.ts";
import { recordIn } from "./subject.ts";

/** How long something under way is watched until it stands still, in milliseconds. */
const stillMs = 1000;

/** Looks in a row that show no state: what shows none twice shows none later. */
const maxUnreadable = 2;

/** What is waited for, as the cases of a run know it. */
export const endOf = ({ kind }: Pick<Subject, "kind">) => `a ${kind} that ends`;

/** Work that has just ended, a job or a run: what is waited for longer has been delivered by then. */
export const justEnded = ({ row, setup }: CaseContext): Promise<Subject> =>
  setup.fresh(row.package === "alpha.v1" ? "job:just-ended" : "run:just-ended");

/** Throws Unproven where others have waited for the end of such work in vain. */
function checkWorthWaiting({ run }: CaseContext, end: string): void {
  const inVain = run.circuits.inVain(end);
  if (inVain !== undefined) throw new Unproven(`needs ${inVain}`);
}

/** Tells the run how a wait for the end of some work came out, where there was all the time for it. */
function tellEnd({ run, signal }: CaseContext, end: string, came: boolean): void {
  if (came || !signal.aborted) run.circuits.ended(end, came);
}

/** Counts looks at a record that show no state, one after another; true once that is how it is. */
function createStateCheck(): (record: JsonObject) => boolean {
  let unreadable = 0;
  return (record) => {
    unreadable = showsState(record) ? 0 : unreadable + 1;
    return unreadable >= maxUnreadable;
  };
}

/**
 * What shows up in time: some of what work leaves is shown only after its end. Looks once where the run's cases have waited for
 * such a thing in vain.
 *
 * @param what what is waited for, as the cases of a run know it
 */
export async function inTime<T>(
  context: CaseContext,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { poll, run, target } = context;
  if (run.circuits.inVain(what) !== undefined) return look();
  const found = await poll(look, target.settings.patience.settleMs);
  tellEnd(context, what, found !== undefined);
  return found;
}

/**
 * The job or run once it has ended, and stands still: from then on nothing but a mutation changes it. Throws Unproven where it
 * does not end.
 *
 * @param end what is waited for, as the cases of a run know it
 */
export async function settle(context: CaseContext, started: Subject, end = endOf(started)): Promise<Subject> {
  return context.run.lateMoves.stood(context, await settleAtOnce(context, started, end));
}

/** As `settle`, right after its end: it may be revised once more, and what comes of it has just begun. */
export async function settleAtOnce(context: CaseContext, started: Subject, end = endOf(started)): Promise<Subject> {
  const { poll, row, run, signal, target } = context;
  const { settleMs } = target.settings.patience;
  checkWorthWaiting(context, end);
  const isUnreadable = createStateCheck();
  const ended = await poll(async () => {
    const now = await stillThere(context, started);
    if (isUnreadable(now.record)) {
      tellEnd(context, end, false);
      throw new Unproven(`needs a ${started.kind} whose state can be read, which is ${showJson(now.record.state)}`);
    }
    return isOver(now.record) ? now : undefined;
  }, settleMs);
  tellEnd(context, end, ended !== undefined);
  if (ended === undefined)
    throw new Unproven(`needs a ${started.kind} that ends; none did within patience.settleMs (${settleMs} ms)`);
  await run.readLag.pass(row.package, signal);
  return { ...ended, changesOnlyByMutation: true };
}

/**
 * The job or run once it is under way. Its version may move on with its progress, so it is returned once it has stood
 * still for a moment: what is refused afterwards is then hardly refused for a version left behind.
 *
 * @param input key of the target file that makes it go on, for the sentence that says it did not
 */
export async function untilRunning(context: CaseContext, started: Subject, input: string): Promise<Subject> {
  let running = started;
  await context.poll(async () => {
    const now = await stillThere(context, running);
    if (isOver(now.record)) throw new Unproven(`needs a ${started.kind} that goes on; ${input} ended at once`);
    const stood = now.version === running.version && !/_STATE_QUEUED$/.test(textAt(now.record, "state"));
    running = now;
    return stood ? now : undefined;
  }, stillMs);
  return running;
}

/** The subject as it is now. Throws Unproven where it is gone, with the reply that refused to show it. */
async function stillThere({ needs, setup }: CaseContext, subject: Subject): Promise<Subject> {
  const now = await setup.current(subject);
  if (now !== undefined) return now;
  needs(await setup.read(subject));
  throw new Unproven(`a ${subject.kind} disappeared while it was waited for`);
}

/** Reads a job or run until it has ended. The replies, in order; the last shows its end, or patience ran out. */
export async function follow(context: CaseContext, work: Subject): Promise<readonly Reply[]> {
  const { poll, row, run, setup, signal, target } = context;
  const replies: Reply[] = [];
  checkWorthWaiting(context, endOf(work));
  const isUnreadable = createStateCheck();
  const last = await poll(async () => {
    const reply = await setup.read(work);
    replies.push(reply);
    const record = recordIn(reply);
    return isOver(record) || (reply.outcome === "served" && isUnreadable(record)) ? record : undefined;
  }, target.settings.patience.settleMs);
  tellEnd(context, endOf(work), last !== undefined && isOver(last));
  await run.readLag.pass(row.package, signal);
  return replies;
}

/**
 * The last of the replies, if it shows the end that the target file promises; else the case is unproven.
 *
 * @param promised the state it was to end in; undefined where nothing is promised
 * @param input key of the target file that promises it
 */
export function promisedEnd(replies: readonly Reply[], promised: string | undefined, input: string): Reply {
  const last = replies.at(-1);
  if (last === undefined) throw new Unproven("needs a job or run that can be read");
  const state = textAt(recordIn(last), "state");
  if (promised === undefined || state === promised) return last;
  throw new Unproven(`needs a ${last.row.subject} that ends ${promised}; with ${input} one was ${state}`);
}

/** Whether work may still go on behind a record, and move its version by itself: an upload that is verified, say. */
export function mayMove(record: JsonObject): boolean {
  return /_(PENDING|PENDING_UPLOAD|CANCELING|QUEUED|RUNNING|AWAITING_\w+)$/.test(textAt(record, "state"));
}

/** Whether work goes on behind a record after a call of a row: what awaits its upload moves only once it was completed. */
function goesOn(record: JsonObject, { change }: RpcRow): boolean {
  return mayMove(record) && (change === Change.COMPLETES || !/_PENDING_UPLOAD$/.test(textAt(record, "state")));
}

/**
 * The subject once no work goes on behind the reply to a mutation: an upload may be verified after it was completed, a
 * run be canceled for a while, or go on although its cancellation was accepted. As it is by then where patience ends first; undefined where it is gone.
 *
 * @param shown the version that the reply shows, where it may have moved: a reading that still shows the one before is behind
 */
export async function untilSettled(
  context: CaseContext,
  subject: Subject,
  shown: string = subject.version,
): Promise<Subject | undefined> {
  let now: Subject | undefined;
  const hasMoved = shown !== "0" && shown !== subject.version;
  await context.poll(async () => {
    now = await context.setup.current(subject);
    if (now === undefined) return true;
    const isBehind = hasMoved && now.version === subject.version;
    return isBehind || goesOn(now.record, context.row) ? undefined : true;
  }, context.target.settings.patience.settleMs);
  // What has ended may be revised once more.
  return now !== undefined && isOver(now.record) ? context.run.lateMoves.stood(context, now) : now;
}

/**
 * Checks that the versions of a record from before and after a call say something about the call: where patience ended
 * while work still went on behind the record, its version may have moved by itself.
 */
export function checkStandsStill(before: Subject | undefined, after: Subject | undefined): void {
  if (before === undefined || !mayMove(before.record) || after?.version === before.version) return;
  const state = textAt(before.record, "state");
  throw new Unproven(`needs a ${before.kind} that stands still; one was ${state} when patience.settleMs ended`);
}
