import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";

/** How often a call is made again on a subject that moves on between its reading and the call. */
const attempts = 5;

/**
 * Makes a call on a subject at its current version. What else moves a version than the calls that name it is not shown: a
 * delivery may move that of its endpoint, a download that of its artifact. So where the call is refused and the version is
 * no longer the one that was sent, the subject is read, and the call made again.
 *
 * @param act makes the call, with a request of its own
 */
export async function callAsItIsNow(
  { setup }: CaseContext,
  subject: Subject,
  act: (current: Subject) => Promise<Reply>,
): Promise<Reply> {
  let current = subject;
  for (let attempt = 1; ; attempt += 1) {
    const reply = await act(current);
    if (reply.outcome !== "refused" || attempt === attempts) return reply;
    const now = await setup.current(current);
    if (now === undefined || now.version === current.version) return reply;
    current = now;
  }
}
