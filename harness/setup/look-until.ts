import type { CaseContext } from "../case/context.ts";

/**
 * Looks until what is seen is as it should be, `patience.settleMs` at most: readings may lag. Returns the last look, for the
 * case to judge.
 *
 * @param look is given what was seen before; undefined at first
 */
export async function lookUntil<T>(
  { poll, target }: Pick<CaseContext, "poll" | "target">,
  look: (before: T | undefined) => Promise<T>,
  isFine: (seen: T) => boolean,
): Promise<T> {
  let seen = await look(undefined);
  await poll(async () => {
    if (isFine(seen)) return true;
    seen = await look(seen);
    return undefined;
  }, target.settings.patience.settleMs);
  return seen;
}
