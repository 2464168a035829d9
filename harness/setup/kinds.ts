import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";

/** Kinds that somebody else's change leaves as usable as before. */
export const changeableKinds: ReadonlySet<string> = new Set([
  "secret",
  "webhook_endpoint",
  "customer_user",
  "memory_item",
  "memory_settings",
]);

/** Kinds that nothing but a mutation changes. */
export const settledKinds: ReadonlySet<string> = new Set([...changeableKinds, "session"]);

/**
 * The subject at another version than zero, as what an expected version of zero does is open: where versions begin there,
 * after a change by somebody else. The subject itself where nothing changes its kind.
 */
export async function pastVersionZero({ setup }: CaseContext, subject: Subject): Promise<Subject> {
  return subject.version === "0" ? ((await setup.change(subject)) ?? subject) : subject;
}
