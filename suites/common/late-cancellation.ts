import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { judgeUnmoved } from "./unmoved.ts";

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
