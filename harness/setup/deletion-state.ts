import type { CaseContext } from "../case/context.ts";
import { orElse } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { mayBeRefusedForState } from "../wire/reply.ts";

/** A state that the deletion of a kind may take: which states permit one is not shown. */
export interface DeletionState {
  readonly kind: string;
  /** As the run knows it: `disabled`. */
  readonly state: string;
  /** Brings one into the state, and returns it as it is then. Throws Unproven where that is refused. */
  readonly enter: (context: CaseContext, made: Subject) => Promise<Subject>;
  /** Brings one out of the state that may have begun in it. Absent: none does. Throws Unproven where that is refused. */
  readonly leave?: (context: CaseContext, made: Subject) => Promise<Subject>;
}

/** How many of a kind have to be deleted only once they are in the state: a refusal may be chance. */
const asked = 2;

async function tryDeletions(context: CaseContext, { kind, enter, leave }: DeletionState): Promise<boolean> {
  const { setup, call } = context;
  const row = setup.deleteOf(kind);
  const remove = async (made: Subject) =>
    call(row, await setup.request(row, made), { baseUrl: setup.baseUrl(row, made) });
  for (let count = 0; count < asked; count += 1) {
    const begun = await setup.fresh(kind);
    const made = leave === undefined ? begun : await leave(context, begun);
    if (!mayBeRefusedForState(await remove(made))) return false;
    if ((await remove(await enter(context, made))).outcome !== "served") return false;
  }
  return true;
}

/** Whether the target deletes one of the kind only once it is in the state. It is learnt once. */
export async function isDeletedOnly(context: CaseContext, needed: DeletionState): Promise<boolean> {
  const { run, row, setup, shared } = context;
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  setup.tenant();
  const asked = run.once(`whether a ${needed.kind} of ${row.package} is deleted only once ${needed.state}`, () =>
    shared((outer) => tryDeletions(outer, needed)),
  );
  // Where there is none to delete, or to bring there, who needs one says so.
  return orElse(asked, false);
}

/** One of the kind as the target deletes it. Throws Unproven where it cannot be brought into the state that this takes. */
export async function deletableBy(context: CaseContext, made: Subject, needed: DeletionState): Promise<Subject> {
  return (await isDeletedOnly(context, needed)) ? needed.enter(context, made) : made;
}

/** One that is to be undone, in the state, or as it is where it cannot be brought there: its deletion shows whether that matters. */
export async function asDeletable(context: CaseContext, now: Subject, { enter }: DeletionState): Promise<Subject> {
  try {
    return await enter(context, now);
  } catch (error) {
    if (error instanceof Unproven) return now;
    throw error;
  }
}
