import type { CaseRun } from "../case/run.ts";
import type { Subject } from "../case/setup.ts";
import { instantOf } from "../wire/json.ts";

const nanosPerMs = 1_000_000n;

/** When half of a subject's life is over, by our clock, in milliseconds since 1970; never for one that does not expire. */
function staleAt({ record }: Subject): number {
  const expiry = instantOf(record.expiresAt);
  const now = Date.now();
  const leftMs = expiry === undefined ? 0 : Number(expiry / nanosPerMs) - now;
  return leftMs > 0 ? now + leftMs / 2 : Number.POSITIVE_INFINITY;
}

/** Makes a subject that cases share, and another where they still need one once half its life is over. */
export async function shareUntilExpired(run: CaseRun, key: string, make: () => Promise<Subject>): Promise<Subject> {
  const asked = Date.now();
  for (let generation = 0; ; generation += 1) {
    const made = await run.once(`${key} ${generation}`, async () => {
      const subject = await make();
      return { subject, at: Date.now(), staleAt: staleAt(subject) };
    });
    // One made just now is as good as any.
    if (made.at >= asked || Date.now() < made.staleAt) return made.subject;
  }
}
