import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import { lookUntil } from "./look-until.ts";

/** A subject as it is now: where it shows the version that was refused, once readings that lag behind have caught up. */
export async function currentAfter(
  { run, row, setup, signal }: CaseContext,
  subject: Subject,
  refused: string | undefined,
): Promise<Subject | undefined> {
  const now = await setup.current(subject);
  if (now?.version !== refused || run.readLag.behind(row.package) === 0) return now;
  await run.readLag.pass(row.package, signal);
  return setup.current(subject);
}

/** A subject once it is shown at another version than this one; as it is where patience ends first: a listing may lag. */
export function currentOnceMoved(context: CaseContext, subject: Subject): Promise<Subject | undefined> {
  return lookUntil(
    context,
    () => context.setup.current(subject),
    (seen) => seen?.version !== subject.version,
  );
}

/** How often a call is made at most on a subject that moves on between its reading and the call: progress may move a job all the time. */
const attempts = 12;

/**
 * Makes a call on a subject at its current version. What else moves a version than the calls that name it is not shown: a
 * delivery may move that of its endpoint, a download that of its artifact. So where the call is refused and the version is
 * no longer the one that was sent, the subject is read, and the call made again.
 *
 * @param act makes the call, with a request of its own
 */
export async function callAsItIsNow(
  context: CaseContext,
  subject: Subject,
  act: (current: Subject) => Promise<Reply>,
): Promise<Reply> {
  let current = subject;
  for (let attempt = 1; ; attempt += 1) {
    const reply = await act(current);
    if (reply.outcome !== "refused" || attempt === attempts) return reply;
    const now = await currentAfter(context, current, current.version);
    if (now === undefined || now.version === current.version) return reply;
    current = now;
  }
}
