import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { listRowOf } from "../../proto/resources.ts";
import { Effect } from "../../proto/rpcs.ts";
import { listedInTime } from "../lifecycle/records/consistency.ts";

/**
 * Judges that deletions which were refused left their subject in its listing. A subject that no listing shows is one that
 * may never have been listed: that another of its kind is, tells.
 *
 * @returns false where it left the listing
 */
async function judgeStillListed(
  context: CaseContext,
  subject: Subject | undefined,
  refused: readonly Reply[],
): Promise<boolean> {
  const { row, setup, judge } = context;
  const list = listRowOf(row.subject, row.package);
  const last = refused.at(-1);
  if (row.effect !== Effect.DELETE || list === undefined || subject === undefined || last === undefined) return true;
  if ((await listedInTime(context, list, subject)) !== undefined) return true;
  const other = await setup.subjectOf(row);
  if (other === undefined || (await listedInTime(context, list, other)) === undefined) return true;
  // A listing that shows it late may have shown the other one first.
  const late = await listedInTime(context, list, subject);
  return judge(last, undefined, refused.slice(0, -1)).satisfies(
    late !== undefined,
    `the ${subject.kind} listed, as others are`,
    `it can be read, and ${list.method} leaves it out`,
  );
}

/** Judges that one of the refused calls is refused once more, sent again as it was: a refusal that is remembered is no success. */
async function judgeRefusedAgain(context: CaseContext, subject: Subject | undefined, refused: readonly Reply[]) {
  const { row, setup, call, judge } = context;
  const [first] = refused;
  if (first === undefined || row.requestId === undefined) return true;
  const again = await call(row, first.request, { baseUrl: setup.baseUrl(row, subject) });
  const version = String(first.request[row.expectedVersion?.name ?? ""]);
  return judge(again, undefined, [first]).isRefused({
    because: `it repeats, requestId and all, what was refused, and version ${version} is not current yet`,
  });
}

/** Judges what mutations that were refused for their version are to have left alone, beside the record. */
export async function judgeLeftAlone(
  context: CaseContext,
  subject: Subject | undefined,
  refused: readonly Reply[],
): Promise<boolean> {
  if (!(await judgeRefusedAgain(context, subject, refused))) return false;
  return judgeStillListed(context, subject, refused);
}
