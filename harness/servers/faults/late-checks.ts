import { anyCaller } from "./auth/credentials.ts";
import { replacing } from "./steps.ts";

/** A check of who calls, or for whom. */
export type Guard = "authorizeKind" | "authorizeScope" | "authorizeWorkspace" | "authorizeApp" | "authorizeUser";

/** Makes some checks only once it has acted. */
export const late = (guards: readonly Guard[]) =>
  replacing((parts) => ({
    ...Object.fromEntries(guards.map((guard) => [guard, () => {}])),
    async pipeline(context, effect) {
      const reply = await parts.pipeline(context, effect);
      for (const guard of guards) parts[guard](context);
      return reply;
    },
  }));

/** Finds out who calls only once it has acted, in the name of whoever may. */
export const lateAuthentication = replacing((parts) => ({
  authenticate(context) {
    try {
      return parts.authenticate(context);
    } catch {
      return anyCaller(context);
    }
  },
  async pipeline(context, effect) {
    const reply = await parts.pipeline(context, effect);
    parts.authenticate(context);
    return reply;
  },
}));

/** The checks of whose tenant a call is about. */
export const tenantGuards: readonly Guard[] = ["authorizeWorkspace", "authorizeApp", "authorizeUser"];
