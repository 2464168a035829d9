import type { Subject } from "../case/setup.ts";
import { instantOf } from "../wire/json.ts";
import { inMilliseconds } from "../wire/nanoseconds.ts";

/**
 * Clocks are taken for one up to so many milliseconds apart, as whole seconds and a slow call make for some; and what is further
 * apart than an hour is no clock that is off, but a wrong time.
 */
const [leastApartMs, mostApartMs] = [30_000, 3_600_000];

/**
 * By how many milliseconds the clock that dates a target's records is ahead of ours; 0 while they go together. It may be
 * another than that of the `Date` header, which a web server in front may write.
 *
 * @param made a record that was created between `since` and `until`, by our clock, in milliseconds since 1970
 */
export function recordClockAhead({ record }: Pick<Subject, "record">, since: number, until: number): number {
  const created = instantOf(record.createdAt);
  if (created === undefined) return 0;
  const at = inMilliseconds(created);
  const apart = at < since ? at - since : Math.max(0, at - until);
  return Math.abs(apart) < leastApartMs || Math.abs(apart) > mostApartMs ? 0 : apart;
}

/**
 * What `make` creates now, and by how many milliseconds the clock that dates it is ahead of ours; 0 where they go together, or where
 * nothing was made.
 */
export async function createTimed<T extends Pick<Subject, "record"> | undefined>(
  make: () => Promise<T>,
): Promise<{ readonly made: T; readonly aheadMs: number }> {
  const since = Date.now();
  const made = await make();
  return { made, aheadMs: made === undefined ? 0 : recordClockAhead(made, since, Date.now()) };
}
