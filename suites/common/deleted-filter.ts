import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { listAt, sameJson, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";

/**
 * Deletes what the case's listing is filtered by, and judges that it shows nothing of others then: whether it is refused, or
 * still shows what it showed, is not shown. Nothing is judged where the deletion is refused.
 *
 * @param filter field of the request that names the subject, and of each item
 */
export async function judgeDeletedFilter(
  { row, setup, call, judge }: CaseContext,
  subject: Subject,
  filter: string,
  request: JsonObject,
): Promise<void> {
  const now = await setup.current(subject);
  if (now === undefined) return;
  const deletion = setup.deleteOf(subject.kind);
  const deleted = await call(deletion, await setup.request(deletion, await setup.deletable(now)));
  if (deleted.outcome !== "served") return;
  const reply = await call(row, { ...request, ...freshRequestId(row, setup), [filter]: subject.id });
  if (reply.outcome !== "served") return;
  const list = row.list?.name ?? "";
  const odd = listAt(reply.json, list).find((item) => !(isObject(item) && sameJson(item[filter], subject.id)));
  judge(reply, "*.filters.hold", [deleted]).satisfies(
    odd === undefined,
    `items of ${showJson(subject.id)}, which was deleted, or none`,
    showJson(odd ?? null),
    list,
  );
}
