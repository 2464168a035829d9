import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/**
 * Judges that a call refused for a state moved no version, by another one at a record whose version stays while nobody calls.
 *
 * @param record the record before the refused call
 * @param read how it was read after that
 */
export async function judgeUnmoved(context: CaseContext, record: Subject, refused: Reply, read: Reply): Promise<void> {
  const { setup, call, row, judge } = context;
  if (refused.outcome !== "refused" || read.outcome !== "served") return;
  const moved = versionOf(recordIn(read));
  if (moved === record.version) return;
  // What a run costs may be settled once it has ended: that moves it once, and not with each cancellation.
  const again = await setup.current(record);
  if (again === undefined || again.version !== moved) return;
  const reply = await call(row, await setup.request(row, again), { baseUrl: setup.baseUrl(row, again) });
  const after = await setup.current(record);
  if (reply.outcome !== "refused" || after === undefined) return;
  const isSteady = after.version === (await setup.current(record))?.version;
  judge(reply, "*.versioning.refused-keep", [refused, read]).satisfies(
    after.version === again.version || !isSteady,
    `version ${again.version}, as before the call that was refused`,
    after.version,
    `${row.record?.name}.resourceVersion`,
  );
}
