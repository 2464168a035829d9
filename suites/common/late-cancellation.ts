import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";

/**
 * Judges that a job or run which has ended is not canceled at another version than its own, whether or not there is anything
 * left to cancel. That such a call is refused says nothing: it may be refused for the end.
 *
 * @param ended the job or run as it ended
 * @param what what it is, for the report: `canceled job`
 */
export async function judgeWrongCancellation(
  { row, setup, call, judge }: CaseContext,
  ended: Subject,
  what: string,
): Promise<void> {
  const valid = await setup.request(row, ended);
  const field = row.expectedVersion?.name ?? "";
  for (const version of farAndPrevious(ended)) {
    const request = { ...valid, [field]: version, ...freshRequestId(row, setup) };
    const reply = await call(row, request, { baseUrl: setup.baseUrl(row, ended) });
    if (reply.outcome !== "served") continue;
    const because = `${field} ${version} is not the current ${ended.version} of the ${what}`;
    judge(reply, "*.versioning.expected").isRefused({ because });
  }
}

/**
 * Judges that a call refused for a state moved no version, by another one at a record whose version stays while nobody calls.
 *
 * @param work the record before the refused call
 * @param read how it was read after that
 */
export async function judgeUnmoved(context: CaseContext, work: Subject, refused: Reply, read: Reply): Promise<void> {
  const { setup, call, row, judge } = context;
  if (refused.outcome !== "refused" || read.outcome !== "served") return;
  const again = await setup.current(work);
  // What a run costs may be settled once it has ended: that moves it once, and not with each cancellation.
  if (work.version === versionOf(recordIn(read))) return;
  if (again === undefined || again.version !== versionOf(recordIn(read))) return;
  const reply = await call(row, await setup.request(row, again), { baseUrl: setup.baseUrl(row, again) });
  const after = await setup.current(work);
  if (reply.outcome !== "refused" || after === undefined) return;
  const isSteady = after.version === (await setup.current(work))?.version;
  judge(reply, "*.versioning.refused-keep", [refused, read]).satisfies(
    after.version === again.version || !isSteady,
    `version ${again.version}, as before the call that was refused`,
    after.version,
    `${row.record?.name}.resourceVersion`,
  );
}

/**
 * Cancels a job or run that has ended, and judges that it stays as it ended, at its version where that is refused, and that
 * this is not served at another version.
 *
 * @param ended the job or run as it ended
 * @param what what it is, for the report: `failed run`
 */
export async function judgeLateCancellation(context: CaseContext, ended: Subject, what: string): Promise<void> {
  const { setup, call, row, judge, observe } = context;
  await judgeWrongCancellation(context, ended, what);
  const reply = await call(row, await setup.request(row, ended), { baseUrl: setup.baseUrl(row, ended) });
  observe("*.open.transitions", `canceling a ${what} is ${reply.outcome}`);
  const read = await setup.read(ended);
  const { state } = recordIn(read);
  const name = row.record?.name;
  judge(reply, undefined, [read]).satisfies(
    sameJson(state, ended.record.state),
    `a ${name} that is still ${textAt(ended.record, "state")}`,
    read.outcome === "served" ? showJson(state) : describeReply(read),
    `${name}.state`,
  );
  await judgeUnmoved(context, ended, reply, read);
}
