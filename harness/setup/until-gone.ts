import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { sleep } from "../wire/sleep.ts";

/** Attempts at most, and those that are made though nothing moves: that a thing cannot be removed shows soon. */
const [maxAttempts, maxInVain] = [10, 4];

/** Milliseconds to the first look, where readings do not lag; to each one after that twice as long. */
const pauseMs = 5;

/**
 * Removes what a case made, at whatever version it comes to meanwhile: what is still being worked on moves on by itself. Where a
 * few of a kind could not be removed, one after another, the others are tried once.
 *
 * @param remove tries it at one version; undefined once that is done, else why it is not
 * @param look what there is of it now; undefined once it is gone
 * @returns undefined once it is gone, else why it is not
 */
export async function untilGone(
  { signal, run, row }: CaseContext,
  made: Subject,
  remove: (known: Subject) => Promise<string | undefined>,
  look: () => Promise<Subject | undefined>,
): Promise<string | undefined> {
  const what = `a ${made.kind} of ${row.package} that can be removed`;
  const enough = run.circuits.inVain(what) === undefined ? maxInVain : 1;
  const gone = (isGone: boolean, because?: string) => {
    run.circuits.ended(what, isGone);
    return because;
  };
  let known = made;
  let why: string | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    why = await remove(known);
    if (why === undefined) return gone(true);
    // Between a look and the next attempt nothing is waited for: what moves on by itself would be past that version again.
    await sleep(Math.max(run.readLag.behind(row.package), pauseMs * 2 ** (attempt - 1)), signal);
    const now = await look();
    if (now === undefined) return gone(true);
    if (attempt >= enough && now.version === known.version) return gone(false, why);
    known = now;
  }
  return gone(false, why);
}
