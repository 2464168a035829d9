import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { sleep } from "../wire/sleep.ts";

/** Attempts at most, and those that are made though nothing moves: that a thing cannot be removed shows soon. */
const [maxAttempts, maxInVain] = [10, 4];

/** Milliseconds to the second attempt, where readings do not lag; to each one after that twice as long. */
const pauseMs = 5;

/**
 * Removes what a case made, at whatever version it comes to meanwhile: what is still being worked on moves on by itself.
 *
 * @param remove tries it at one version; true once that is done
 * @param look what there is of it now; undefined once it is gone
 * @returns whether it is gone
 */
export async function untilGone(
  { signal, run, row }: CaseContext,
  made: Subject,
  remove: (known: Subject) => Promise<boolean>,
  look: () => Promise<Subject | undefined>,
): Promise<boolean> {
  let known = made;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (attempt > 1) await sleep(Math.max(run.readLag.behind(row.package), pauseMs * 2 ** (attempt - 2)), signal);
    if (await remove(known)) return true;
    const now = await look();
    if (now === undefined) return true;
    if (attempt >= maxInVain && now.version === known.version) return false;
    known = now;
  }
  return false;
}
