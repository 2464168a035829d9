import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { isOver } from "../wire/states.ts";
import { recordIn } from "./subject.ts";

/** How long something under way is watched until it stands still, in milliseconds. */
const stillMs = 1000;

/** The job or run once it has ended: from then on nothing but a mutation changes it. Throws Unproven where it does not. */
export async function settle(context: CaseContext, started: Subject): Promise<Subject> {
  const { poll, row, run, signal, target } = context;
  const { settleMs } = target.settings.patience;
  const ended = await poll(async () => {
    const now = await stillThere(context, started);
    return isOver(now.record) ? now : undefined;
  }, settleMs);
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

/** The subject as it is now. Throws Unproven where it is gone, with the reply that refused to show it where one still does. */
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
  await poll(async () => {
    const reply = await setup.read(work);
    replies.push(reply);
    return isOver(recordIn(reply)) ? reply : undefined;
  }, target.settings.patience.settleMs);
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

/**
 * The subject once no work goes on behind the reply to a mutation: an upload may be verified after it was completed, a
 * run be canceled for a while. As it is by then where patience ends first; undefined where it is gone.
 */
export async function untilSettled(context: CaseContext, subject: Subject): Promise<Subject | undefined> {
  let now: Subject | undefined;
  await context.poll(async () => {
    now = await context.setup.current(subject);
    return now === undefined || !/_(PENDING|CANCELING)/.test(textAt(now.record, "state")) ? true : undefined;
  }, context.target.settings.patience.settleMs);
  return now;
}
