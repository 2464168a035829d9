import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { NotExercised } from "../../harness/target/target.ts";

/** The other tenant's context; undefined where the target file names none. */
export function otherTenantOf({ setup }: CaseContext): CaseContext | undefined {
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
  // The login requests that a target file names are of the run's tenant.
  if (context.run.depth === "smoke" || context.row.subject === "oauth_login_request") return;
  const workElsewhere = async () => work(context.setup.elsewhere());
  await orUndefined(workElsewhere());
}
