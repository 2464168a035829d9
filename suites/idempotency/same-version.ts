import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { allowRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { checkStandsStill } from "../../harness/setup/work.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** The first call of a mutation, and the last of its replays. */
interface Calls {
  readonly first: Reply;
  readonly last: Reply;
}

/**
 * Judges that a record is at the version at which the first call left it, after replays of that call. Throws ChosenOtherwise where
 * such records come to other versions by themselves, as endpoints do by deliveries, and Unproven where work behind one goes on.
 */
export async function judgeSameVersion(
  context: CaseContext,
  { first, last }: Calls,
  before: Subject | undefined,
  now: Subject | undefined,
): Promise<void> {
  checkStandsStill(before, now);
  const isSame = now?.version === before?.version;
  if (!isSame && before && now) await allowRevisedUntouched(context, before);
  context
    .judge(last, undefined, [first])
    .satisfies(isSame, `version ${before?.version}, as after the first call`, `${now?.version}`, "resourceVersion");
}
