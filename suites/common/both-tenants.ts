import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { NotExercised } from "../../harness/target/target.ts";

/** The case's context in the other tenant; undefined where the target file names none. */
function elsewhere({ setup }: CaseContext): CaseContext | undefined {
  try {
    return setup.elsewhere();
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

/**
 * Does the same in the run's tenant and then in the other one, as far as there is one, and what it takes: what a server keeps for
 * one tenant it may forget for the next. Smoke, which has few requests, does it once.
 */
export async function inBothTenants(
  context: CaseContext,
  work: (context: CaseContext) => Promise<void>,
): Promise<void> {
  await work(context);
  const there = context.run.depth === "smoke" ? undefined : elsewhere(context);
  if (there !== undefined) await orUndefined(work(there));
}
