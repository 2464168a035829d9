import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { followAccepted } from "../../common/accepted-work.ts";

/** A call of a fixture with one input, and whether it is taken: served, and its job succeeds. */
async function callWithInput(context: CaseContext, field: string, { id }: Subject) {
  const { row, setup, call } = context;
  const reply = await call(row, { ...(await setup.request(row, undefined)), [field]: [id] });
  const isServed = reply.outcome === "served";
  const isTaken = isServed && (row.record === undefined || (await followAccepted(context, reply)).succeeded);
  return { reply, isTaken };
}

/** Deletes an input that the case made, and judges that the fixture takes it no more. Fixtures may lag behind for a while. */
export async function judgeDeletedInput(context: CaseContext, field: string, made: Subject): Promise<void> {
  const { setup, call, judge } = context;
  const deletes = setup.deleteOf(made.kind);
  const deleted = await callAsItIsNow(context, made, async (current) =>
    call(deletes, await setup.request(deletes, current)),
  );
  // That it is deleted is for other cases to judge.
  if (deleted.outcome !== "served") return;
  const ask = () => callWithInput(context, field, made);
  const { reply, isTaken } = await lookUntil(context, ask, (seen) => !seen.isTaken);
  judge(reply, "*.deletion.effective", [deleted]).satisfies(
    !isTaken,
    `a refusal, or work that does not succeed: its ${field} names what was deleted`,
    describeReply(reply),
  );
}
