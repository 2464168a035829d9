import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";

/** How long after the end it is looked once more, in times of `patience.quietMs`. */
const lateness = 4;

/** What a record shows of an end that is over. */
const endFields = ["completedAt", "attemptCount"];

/**
 * Judges that a job or run which has ended keeps its state, and what it shows of its end: right after its end and, as what a server does a while later, a
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
  const settled = last;
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
  if (last.outcome !== "served" || !sameJson(now.state, state)) return last;
  for (const name of endFields) {
    const before = recordIn(settled)[name];
    if (isDefault(before)) continue;
    judge(last, clause, [settled]).satisfies(
      sameJson(now[name], before),
      `still ${showJson(before)}`,
      showJson(now[name]),
      `${last.row.record?.name}.${name}`,
    );
  }
  return last;
}
