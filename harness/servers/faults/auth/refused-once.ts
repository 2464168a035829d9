import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import type { Guard } from "../late-checks.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const idOf = ({ principal }: Context) => (principal as { readonly id?: string } | undefined)?.id ?? "";

/** Makes a check of callers, known by an id, until it has refused one: from then on that caller passes. */
export function passingOnceRefused<A extends readonly unknown[]>(
  idOf: (...asked: A) => string,
  check: (...asked: A) => void,
  refused = new Set<string>(),
): (...asked: A) => void {
  return (...asked) => {
    if (refused.has(idOf(...asked))) return;
    try {
      check(...asked);
    } catch (error) {
      refused.add(idOf(...asked));
      throw error;
    }
  };
}

/** Makes checks of a caller until one has refused it. */
const untilRefused = (...guards: readonly Guard[]) =>
  replacing((parts) => {
    const refused = new Set<string>();
    return Object.fromEntries(guards.map((guard) => [guard, passingOnceRefused(idOf, parts[guard], refused)]));
  });

const kindCount = 4;
const refusesKinds = (row: RpcRow) => row.package === "beta.v1" && row.credentials.length < kindCount;

/** Whom it has refused once, it knows, and lets in. */
export const refusedOnce: readonly Fault[] = faultsAt(rpcs.filter(refusesKinds), {
  id: "auth/asks-for-the-kind-once",
  says: "asks for no kind of credential once one was refused",
  breaks: "*.auth.kinds",
  entails: ["*.auth.scope"],
  decorate: untilRefused("authorizeKind", "authorizeScope"),
});
