import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Resource } from "../package.ts";

const updateRow = rpc("beta.v1.MemoryService/UpdateMemorySettings");

/** The memory settings of a user, of which nothing is known yet. */
export function unreadSettings(user: Pick<Subject, "id">): Subject {
  return {
    kind: "memory_settings",
    id: null,
    record: {},
    version: "0",
    changesOnlyByMutation: true,
    within: { customerUserId: user.id },
  };
}

/** The memory settings of a user, as they are read; else the case is unproven. */
export async function settingsOf({ needs, setup }: CaseContext, user: Pick<Subject, "id">): Promise<Subject> {
  const unread = unreadSettings(user);
  const settings = await setup.current(unread);
  if (settings !== undefined) return settings;
  // Ends the case with the reply that refused to show them, where it still does.
  needs(await setup.read(unread));
  throw new Unproven("the memory settings of a user could not be read");
}

/** The settings of a user once their memory is turned off; else the case is unproven. */
export async function turnOffMemory(context: CaseContext, user: Pick<Subject, "id">): Promise<Subject> {
  const { call, needs, setup } = context;
  const settings = await settingsOf(context, user);
  const reply = await call(updateRow, await setup.request(updateRow, settings, { enabled: false }));
  needs(reply);
  return { ...settings, ...setup.subjectIn(reply), within: settings.within ?? {} };
}

/** Memory settings: each user has some. */
export const memorySettings: Resource = {
  create: async (context) => settingsOf(context, await context.setup.fresh("customer_user")),
  states: { off: async (context) => turnOffMemory(context, await context.setup.fresh("customer_user")) },
  otherStates: ({ expectedVersion }) => (expectedVersion === undefined ? [] : ["off"]),
};
