import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { jobHome } from "../../../harness/setup/alpha/job.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";

/** A call of a fixture with one input, and whether it is taken: served, and its job succeeds. */
async function callWithInput(context: CaseContext, field: string, { id }: Subject): Promise<[Reply, boolean]> {
  const { row, setup, call } = context;
  const reply = await call(row, { ...(await setup.request(row, undefined)), [field]: [id] });
  if (reply.outcome !== "served" || row.record === undefined) return [reply, reply.outcome === "served"];
  // A job may look for its inputs when it runs.
  const job = { ...setup.subjectIn(reply), changesOnlyByMutation: false, baseUrl: await jobHome(context) };
  const last = (await follow(context, job)).at(-1);
  return [reply, last !== undefined && textAt(recordIn(last), "state").endsWith("_SUCCEEDED")];
}

/** Milliseconds to the second call with what was deleted, where the first takes it; to each one after that twice as long. */
const pauseMs = 250;

/** Deletes an input that the case made, and judges that the fixture takes it no more. Fixtures may lag behind for a while. */
export async function judgeDeletedInput(context: CaseContext, field: string, made: Subject): Promise<void> {
  const { setup, call, judge, signal, target } = context;
  const deletes = setup.deleteOf(made.kind);
  const deleted = await callAsItIsNow(context, made, async (current) =>
    call(deletes, await setup.request(deletes, current)),
  );
  // That it is deleted is for other cases to judge.
  if (deleted.outcome !== "served") return;
  let [reply, isTaken] = await callWithInput(context, field, made);
  for (let ms = pauseMs; isTaken && ms <= target.settings.patience.settleMs; ms *= 2) {
    await sleep(ms, signal);
    [reply, isTaken] = await callWithInput(context, field, made);
  }
  judge(reply, "*.deletion.effective", [deleted]).satisfies(
    !isTaken,
    `a refusal, or work that does not succeed: its ${field} names what was deleted`,
    describeReply(reply),
  );
}
