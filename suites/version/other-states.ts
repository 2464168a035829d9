import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";

/**
 * Judges that in a state the call is refused at a version that is not current, and changes nothing.
 *
 * @returns false where it says nothing: the call is refused in that state at the current version, too
 */
async function judgeInState(context: CaseContext, state: string): Promise<boolean> {
  const { row, setup, call, judge } = context;
  const made = await setup.fresh(`${row.subject}:${state}`);
  const subject = (await setup.current(made)) ?? made;
  const baseUrl = setup.baseUrl(row, subject);
  const version = String(farFrom(numericVersion(subject)));
  const request = { ...(await setup.request(row, subject)), [row.expectedVersion?.name ?? ""]: version };
  const refused = await call(row, request, { baseUrl });
  const because = `version ${version} of a ${state} ${subject.kind} is not the current ${subject.version}`;
  // For which reason is open: the state may be one, whatever the version.
  if (refused.outcome !== "refused") return judge(refused).isRefused({ because });
  const { visible, seen } = await setup.effectOn(row, subject);
  if (visible) return judge(refused).satisfies(false, "the refused call changed nothing", seen);
  // The positive control. Which states permit a call is not shown.
  const control = await call(row, await setup.request(row, subject), { baseUrl });
  if (control.outcome !== "served") return false;
  judge(control, "*.endpoints.served").isServed();
  return judge(refused).isRefused({ because });
}

export const otherStates = defineRule({
  id: "version/not-current-is-refused-in-other-states",
  says: "in every state that permits it a mutation at a version that is not current is refused and changes nothing",
  clauses: ["*.versioning.expected"],
  rows: (row) => row.expectedVersion !== undefined && otherStatesOf(row).length > 0,
  async run(context) {
    let asked = false;
    let missing: NotExercised | undefined;
    for (const state of otherStatesOf(context.row)) {
      try {
        asked = (await judgeInState(context, state)) || asked;
      } catch (error) {
        if (!(error instanceof NotExercised)) throw error;
        // A state that the target does not have, or does not show, says nothing of the others.
        if (!(error instanceof ChosenOtherwise)) missing ??= error;
      }
    }
    if (missing !== undefined) throw missing;
    if (!asked) throw new ChosenOtherwise(`${context.row.method} serves no other state of a ${context.row.subject}`);
  },
});
