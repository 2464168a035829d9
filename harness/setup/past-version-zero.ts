import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";

/**
 * The subject at another version than zero, as what an expected version of zero does is open: where versions begin there,
 * after a change by somebody else. The subject itself where nothing changes its kind.
 */
export async function pastVersionZero({ setup }: CaseContext, subject: Subject): Promise<Subject> {
  return subject.version === "0" ? ((await setup.change(subject)) ?? subject) : subject;
}
