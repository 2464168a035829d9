import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** Judges that refused calls left the version of a record as it was, where only calls move it. */
export async function judgeVersionKept(
  { judge, setup }: CaseContext,
  before: Subject,
  now: Subject,
  refused: readonly Reply[],
): Promise<void> {
  const last = refused.at(-1);
  if (last === undefined || !before.changesOnlyByMutation) return;
  // A version that something else moves is no work of the refused calls.
  if (now.version !== before.version && (await setup.current(now))?.version !== now.version) return;
  judge(last, "*.versioning.refused-keep", refused.slice(0, -1)).satisfies(
    now.version === before.version,
    `version ${before.version}, as before what was refused`,
    now.version,
    `${last.row.record?.name}.resourceVersion`,
  );
}
