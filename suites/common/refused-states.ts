import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isRefusedForState, type Reply } from "../../harness/wire/reply.ts";

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
export async function deleteNew({ call, needs, row, setup }: CaseContext, made: Subject): Promise<void> {
  const remove = setup.deleteOf(row.subject);
  const reply = await call(remove, await setup.request(remove, await setup.deletable(made)));
  allowStateRefusal(reply, made);
  needs(reply);
}
