import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";

/** How long after the end it is looked once more, in times of `patience.quietMs`. */
const lateness = 4;

/**
 * Judges that a job or run which has ended keeps its state: right after its end and, as what a server does a while later, a
 * timeout that was not stopped, shows only then, some time after it.
 *
 * @param ended the reply that showed the end
 * @param clause the clause that a change breaks
 * @returns the last reply that showed it
 */
export async function judgeStaysEnded(
  { setup, judge, poll, target, signal }: CaseContext,
  work: Subject,
  ended: Reply,
  clause: string,
): Promise<Reply> {
  const { quietMs } = target.settings.patience;
  const { state } = recordIn(ended);
  let last = ended;
  await poll(async () => {
    last = await setup.read(work);
    return sameJson(recordIn(last).state, state) ? undefined : last;
  }, quietMs);
  if (sameJson(recordIn(last).state, state)) {
    await sleep(lateness * quietMs, signal);
    last = await setup.read(work);
  }
  const now = recordIn(last);
  judge(last, clause, [ended]).satisfies(
    sameJson(now.state, state),
    `still ${showJson(state)}`,
    last.outcome === "served" ? showJson(now.state) : describeReply(last),
    `${last.row.record?.name}.state`,
  );
  return last;
}
