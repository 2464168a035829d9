import type { CaseRun } from "../case/run.ts";
import { TargetFull, Unproven } from "../case/unproven.ts";

/** How often something shared is tried to be made, where the target refuses it. */
const maxTries = 3;

/** One refusal may be chance; what is shared by many cases is not given up for it. */
function wasRefused(error: unknown): boolean {
  return error instanceof TargetFull || (error instanceof Unproven && error.reply?.outcome === "refused");
}

/** Makes things once, and shares them by their key. What the target refuses is tried again, by whoever needs it. */
export function createMemo(): CaseRun["once"] {
  const memo = new Map<string, { readonly made: Promise<unknown>; readonly nth: number }>();
  return async <T>(key: string, make: () => Promise<T>): Promise<T> => {
    for (;;) {
      const known = memo.get(key) ?? { made: make(), nth: 1 };
      memo.set(key, known);
      try {
        return (await known.made) as T;
      } catch (error) {
        if (known.nth >= maxTries || !wasRefused(error)) throw error;
        // All who waited for it come here; the first of them tries again.
        if (memo.get(key) === known) memo.set(key, { made: make(), nth: known.nth + 1 });
      }
    }
  };
}
