import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { isReadOnly } from "../../proto/rpcs.ts";

/**
 * Judges that what is in a state is not changed under another workspace.
 *
 * @returns false where it says nothing: in its own workspace, too, the call is refused in that state
 */
async function judgeInState(context: CaseContext, state: string): Promise<boolean> {
  const { row, setup, call, judge } = context;
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
  const made = await setup.fresh(`${row.subject}:${state}`);
  const subject = (await setup.current(made)) ?? made;
  const baseUrl = setup.baseUrl(row, subject);
  const elsewhere = { ...(await setup.request(row, subject)), ...tenant };
  const refused = await call(row, elsewhere, { baseUrl, as: key });
  const because = `it names a ${state} ${subject.kind} of another workspace`;
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
  id: "isolation/records-in-other-states-are-not-changed-from-elsewhere",
  says: "in every state that permits it a mutation of another workspace's record is refused and changes nothing",
  clauses: ["*.isolation.mutate"],
  rows: (row) => !isReadOnly(row) && otherStatesOf(row).length > 0,
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
