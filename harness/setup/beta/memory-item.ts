import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { textAt } from "../../wire/json.ts";
import { betaSetup } from "./setup.ts";

/** A run, in a session of the user's own, that says something to remember; the run as it ended. */
export async function runToRemember(context: CaseContext, user: Subject): Promise<Subject> {
  const world = betaSetup(context);
  const ended = await world.settleRun(await world.startRun("memory", user));
  if (textAt(ended.record, "state") !== "RUN_STATE_SUCCEEDED")
    throw new Unproven("needs a run that succeeds; with beta.inputs.memory one did not");
  return ended;
}
