import type { CaseContext } from "../../harness/case/context.ts";
import { jobHome } from "../../harness/setup/alpha/job.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { follow } from "../../harness/setup/work.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** What became of work that a fixture accepted. */
export interface AcceptedWork {
  /** The last replies that showed it: one, or none where it was not shown. */
  readonly shown: readonly Reply[];
  /** The state they showed; empty where they showed none. */
  readonly state: string;
  /** It may look for its inputs when it runs: who accepts it and fails has not taken them. */
  readonly succeeded: boolean;
}

/** Follows the job of a reply that accepted it, until it has ended or patience ran out. */
export async function followAccepted(context: CaseContext, reply: Reply): Promise<AcceptedWork> {
  const work = { ...context.setup.subjectIn(reply), changesOnlyByMutation: false, baseUrl: await jobHome(context) };
  const shown = (await follow(context, work)).slice(-1);
  const state = shown.map((last) => textAt(recordIn(last), "state")).join("");
  return { shown, state, succeeded: state.endsWith("_SUCCEEDED") };
}
