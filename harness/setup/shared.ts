import type { CaseRun } from "../case/run.ts";
import type { Subject } from "../case/setup.ts";
import { instantOf } from "../wire/json.ts";
import { inMilliseconds } from "../wire/nanoseconds.ts";

/** What has ended by our clock, and does not say since when it lasts, is shared for half as long as this, in milliseconds. */
const unknownLifeMs = 10_000;

/**
 * When half of the life of a subject that was just made is over, by our clock, in milliseconds since 1970; never for one that does
 * not expire. The clock that dates records may be ahead of ours or behind: what is between two of its times is so by any.
 */
function staleAt({ record }: Subject): number {
  const [expiry, created] = [instantOf(record.expiresAt), instantOf(record.createdAt)];
  if (expiry === undefined) return Number.POSITIVE_INFINITY;
  const now = Date.now();
  const lives = [
    inMilliseconds(expiry) - now,
    ...(created === undefined ? [] : [inMilliseconds(expiry - created)]),
  ].filter((ms) => ms > 0);
  return now + Math.min(...(lives.length === 0 ? [unknownLifeMs] : lives)) / 2;
}

/**
 * Makes what cases share, and another where they still need one once half the life of one of its subjects is over.
 *
 * @param subjectsOf the subjects in what was made
 */
export async function shareUntilExpired<T>(
  run: CaseRun,
  key: string,
  make: () => Promise<T>,
  subjectsOf: (made: T) => readonly Subject[],
): Promise<T> {
  const asked = Date.now();
  for (let generation = 0; ; generation += 1) {
    const made = await run.once(`${key} ${generation}`, async () => {
      const shared = await make();
      return { shared, at: Date.now(), staleAt: Math.min(...subjectsOf(shared).map(staleAt)) };
    });
    // One made just now is as good as any.
    if (made.at >= asked || Date.now() < made.staleAt) return made.shared;
  }
}
