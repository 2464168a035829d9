import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Resource } from "../package.ts";

/** The memory settings of a user, as they are read; else the case is unproven. */
export async function settingsOf({ needs, setup }: CaseContext, user: Subject): Promise<Subject> {
  const unread: Subject = {
    kind: "memory_settings",
    id: null,
    record: {},
    version: "0",
    changesOnlyByMutation: true,
    within: { customerUserId: user.id },
  };
  const settings = await setup.current(unread);
  if (settings !== undefined) return settings;
  // Ends the case with the reply that refused to show them, where it still does.
  needs(await setup.read(unread));
  throw new Unproven("the memory settings of a user could not be read");
}

/** Memory settings: each user has some. */
export const memorySettings: Resource = {
  create: async (context) => settingsOf(context, await context.setup.fresh("customer_user")),
};
