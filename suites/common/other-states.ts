import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** A call of the RPC under test that must be refused, and why. */
interface Wrong {
  readonly reply: Reply;
  readonly because: string;
}

/**
 * Judges that in a state wrong calls are refused, and change nothing.
 *
 * @returns false where it says nothing: a right call is refused in that state, too
 */
async function judgeInState(
  context: CaseContext,
  state: string,
  send: (subject: Subject, state: string) => Promise<readonly Wrong[]>,
): Promise<boolean> {
  const { row, setup, call, judge } = context;
  const made = await setup.fresh(`${row.subject}:${state}`);
  const subject = (await setup.current(made)) ?? made;
  const wrong = await send(subject, state);
  // For which reason is open: the state may be one, whatever else is wrong.
  const taken = wrong.find(({ reply }) => reply.outcome !== "refused");
  if (taken !== undefined) return judge(taken.reply).isRefused({ because: taken.because });
  const { visible, seen } = await setup.effectOn(row, subject);
  const [refused] = wrong.slice(-1);
  if (visible && refused !== undefined)
    return judge(refused.reply).satisfies(false, "the refused call changed nothing", seen);
  // The positive control. Which states permit a call is not shown.
  const control = await call(row, await setup.request(row, subject), { baseUrl: setup.baseUrl(row, subject) });
  if (control.outcome !== "served") return false;
  judge(control, "*.endpoints.served").isServed();
  for (const { reply, because } of wrong) judge(reply).isRefused({ because });
  return true;
}

/** Judges wrong calls in every further state of the row's subject that permits a right one: each is refused, and changes nothing. */
export async function judgeInOtherStates(
  context: CaseContext,
  send: (subject: Subject, state: string) => Promise<readonly Wrong[]>,
): Promise<void> {
  const { method, subject } = context.row;
  let asked = false;
  let missing: NotExercised | undefined;
  for (const state of otherStatesOf(context.row)) {
    try {
      asked = (await judgeInState(context, state, send)) || asked;
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
      // A state that the target does not have, or does not show, says nothing of the others.
      if (!(error instanceof ChosenOtherwise)) missing ??= error;
    }
  }
  if (missing !== undefined) throw missing;
  if (!asked) throw new ChosenOtherwise(`${method} serves no other state of a ${subject}`);
}
