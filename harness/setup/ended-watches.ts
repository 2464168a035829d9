import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { mayBeRefusedForState, type Reply } from "../wire/reply.ts";

const watchRow = "alpha.v1.JobService/WatchJob";

function watch({ call, setup }: CaseContext, { id, baseUrl }: Subject): Promise<Reply> {
  const request = { ...setup.tenant(), jobId: id };
  return call(watchRow, request, { baseUrl, enough: (messages) => messages.length > 0 });
}

/**
 * Whether the target watches a job that goes on, and refuses to watch one that has ended for its state: which states permit an
 * operation is not shown, nor is when a watch ends. It is learnt once. Who refuses both is asked all the same.
 */
export async function refusesEndedWatches(context: CaseContext): Promise<boolean> {
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  const learn = async (outer: CaseContext) => {
    if (!mayBeRefusedForState(await watch(outer, await outer.setup.shared("job")))) return false;
    return (await watch(outer, await outer.setup.fresh("job:running"))).outcome === "served";
  };
  try {
    return await context.run.once("whether a watch of a job that has ended is refused", () => context.shared(learn));
  } catch (error) {
    // Where there is no job to watch, who needs one says so.
    if (error instanceof Unproven) return false;
    throw error;
  }
}

/** Whether a watch was refused for no more than that its job has ended, where the target watches such jobs never. */
export async function isEndedUnwatched(context: CaseContext, reply: Reply): Promise<boolean> {
  return reply.row.name === watchRow && mayBeRefusedForState(reply) && (await refusesEndedWatches(context));
}

/** Throws ChosenOtherwise where a watch was refused for no more than that its job has ended. */
export async function passEndedUnwatched(context: CaseContext, reply: Reply): Promise<void> {
  if (await isEndedUnwatched(context, reply)) throw new ChosenOtherwise("WatchJob is refused once a job has ended");
}
