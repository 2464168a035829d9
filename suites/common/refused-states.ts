import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";

/**
 * Throws ChosenOtherwise where what was just made was refused a mutation for the state it begins in: which states permit
 * an operation is not shown. That the mutation is served in the usual state is for its own cases to judge.
 */
export function allowStateRefusal(reply: Reply, { kind, record }: Subject): void {
  const state = textAt(record, "state");
  if (state === "" || !isRefusedForState(reply)) return;
  throw new ChosenOtherwise(`${reply.row.method} is refused while the ${kind} is ${state}`);
}

/** Deletes what was just made; where that is refused for the state it begins in, as `allowStateRefusal`. */
export async function deleteNew(context: CaseContext, made: Subject): Promise<void> {
  const { call, needs, row, setup } = context;
  const remove = setup.deleteOf(row.subject);
  const reply = await callAsItIsNow(context, await setup.deletable(made), async (now) =>
    call(remove, await setup.request(remove, now)),
  );
  allowStateRefusal(reply, made);
  needs(reply);
}

/** Whether a call was refused for its state about what changes by itself, and has come to its end meanwhile, or is gone. */
export async function isRefusedAsOver(
  { setup }: CaseContext,
  reply: Reply,
  subject: Subject | undefined,
): Promise<boolean> {
  if (subject === undefined || subject.changesOnlyByMutation || !isRefusedForState(reply)) return false;
  const now = await setup.current(subject);
  return now === undefined || isOver(now.record);
}
