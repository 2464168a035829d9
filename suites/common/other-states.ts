import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { currentOnceMoved } from "../../harness/setup/as-it-is-now.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { describeReply, isRefusedFor, type Reply } from "../../harness/wire/reply.ts";
import { untilServed } from "./current-call.ts";

/** A call of the RPC under test that must be refused, and why. */
export interface WrongCall {
  readonly send: () => Promise<Reply>;
  readonly because: string;
  /** What it breaks to serve it; default the case's first clause. */
  readonly clause?: string;
}

/** The calls that are wrong for a subject. */
type Plan = (subject: Subject) => Promise<readonly WrongCall[]>;

/** A wrong call with its reply. */
interface Wrong extends WrongCall {
  readonly reply: Reply;
}

/** Makes calls one after the other: whoever is served first leaves nothing at its version to those who come after. */
async function makeInTurn(calls: readonly WrongCall[]): Promise<readonly Wrong[]> {
  const made: Wrong[] = [];
  for (const one of calls) made.push({ ...one, reply: await one.send() });
  return made;
}

/**
 * Of refused calls that had an effect, one to judge it by. Where they are of several clauses, those of one clause after the other
 * are made about a subject of their own; undefined where none of them has it alone, or there is no further subject.
 */
async function oneWithEffect(
  { row, setup }: CaseContext,
  wrong: readonly Wrong[],
  plan: Plan,
  anew: (() => Promise<Subject>) | undefined,
): Promise<Wrong | undefined> {
  const clauses = new Set(wrong.map(({ clause }) => clause));
  if (clauses.size === 1) return wrong.at(-1);
  if (anew === undefined) return undefined;
  for (const clause of clauses) {
    const made = await anew();
    const before = (await setup.current(made)) ?? made;
    const alike = await makeInTurn((await plan(before)).filter((one) => one.clause === clause));
    if ((await setup.effectOn(row, before)).visible) return alike.at(-1);
  }
  return undefined;
}

/** Judges that what is refused at the version that is read, before and after, is not refused for its version. */
async function judgeReason(context: CaseContext, subject: Subject, reply: Reply): Promise<void> {
  const { row, judge } = context;
  if (!isRefusedFor(reply, "RESOURCE_VERSION_CONFLICT") || row.expectedVersion === undefined) return;
  // What moves by itself may have moved before it was read.
  if (!subject.changesOnlyByMutation) return;
  const now = await currentOnceMoved(context, subject);
  if (now?.version !== subject.version) return;
  judge(reply, "*.versioning.reason").satisfies(
    false,
    `another reason than that of a version which is not current: ${subject.version} is what is read, before and after`,
    describeReply(reply),
  );
}

/**
 * Judges that calls which are wrong for a subject in some state are refused, and change nothing.
 *
 * @param anew another subject in that state, to tell which of the calls had an effect
 * @returns false where it says nothing: a right call is refused in that state, too
 */
export async function judgeWrongCalls(
  context: CaseContext,
  made: Subject,
  plan: Plan,
  anew?: () => Promise<Subject>,
): Promise<boolean> {
  const { row, setup, call, judge } = context;
  // A listing may lag: what changes by mutations only is not older than the last of them left it.
  const before = await lookUntil(
    context,
    () => setup.current(made),
    (seen) =>
      !made.changesOnlyByMutation ||
      seen === undefined ||
      seen.version === made.version ||
      numericVersion(seen) > numericVersion(made),
  );
  const subject = before ?? made;
  const wrong = await makeInTurn(await plan(subject));
  // For which reason is open: the state may be one, whatever else is wrong.
  const taken = wrong.filter(({ reply }) => reply.outcome !== "refused");
  for (const { reply, because, clause } of taken) judge(reply, clause).isRefused({ because });
  if (taken.length > 0) return true;
  // What was not shown before is not gone now.
  const effect = before && (await setup.effectOn(row, before));
  const refused = wrong.at(-1);
  if (effect?.visible && refused !== undefined) {
    const one = await orUndefined(oneWithEffect(context, wrong, plan, anew));
    judge(one?.reply ?? refused.reply, one?.clause).satisfies(false, changedNothing.call, effect.seen);
    return true;
  }
  // The positive control. Which states permit a call is not shown.
  const right = await setup.request(row, subject);
  const control = await call(row, right, { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) });
  if (control.outcome !== "served") {
    await judgeReason(context, subject, control);
    return false;
  }
  judge(control, "*.endpoints.served").isServed();
  for (const { reply, because, clause } of wrong) judge(reply, clause).isRefused({ because });
  return true;
}

/** How often it is tried with what changes by itself: it may have changed before the right call comes. */
const maxTries = 6;

/** As `judgeWrongCalls`, and once more for each time that a subject which changes by itself may have changed meanwhile. */
export async function judgeAsItMoves(
  context: CaseContext,
  made: Subject,
  plan: Plan,
  anew: () => Promise<Subject>,
): Promise<boolean> {
  for (let tries = made.changesOnlyByMutation ? 1 : maxTries; tries > 0; tries -= 1)
    if (await judgeWrongCalls(context, made, plan, anew)) return true;
  return false;
}

/**
 * Judges wrong calls in every further state of the row's subject that permits a right one: each is refused, and changes nothing.
 *
 * @param prepare does what the wrong calls need, and may itself change the subject
 */
export async function judgeInOtherStates(
  context: CaseContext,
  plan: (subject: Subject, state: string) => Promise<readonly WrongCall[]>,
  prepare: (made: Subject) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { setup } = context;
  const { method, subject } = context.row;
  let asked = false;
  let missing: NotExercised | undefined;
  for (const state of otherStatesOf(context.row)) {
    try {
      for (let tries = 0, isAsked = false; tries < maxTries && !isAsked; tries += 1) {
        const anew = async () => {
          const subject = await setup.fresh(`${context.row.subject}:${state}`);
          await prepare(subject);
          return subject;
        };
        const made = await anew();
        isAsked = await judgeWrongCalls(context, made, (subject) => plan(subject, state), anew);
        asked ||= isAsked;
        // A delivery is tried less often than it is called: who refuses the right call does so for its state.
        if (made.changesOnlyByMutation || made.kind === "webhook_delivery") break;
      }
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
      // A state that the target does not have, or does not show, says nothing of the others.
      if (!(error instanceof ChosenOtherwise)) missing ??= error;
    }
  }
  if (missing !== undefined) throw missing;
  if (!asked) throw new ChosenOtherwise(`${method} is served in no other state of its ${subject}`);
}
