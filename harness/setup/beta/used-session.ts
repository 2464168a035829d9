import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Resource } from "../package.ts";
import { settle } from "../work.ts";
import { startNext } from "./run.ts";
import { createSession } from "./session.ts";

/** A session in which a run has ended; else the case is unproven. */
async function createUsed(context: CaseContext): Promise<Subject> {
  const { setup } = context;
  const session = await setup.fresh("session");
  const named = { customerUserId: session.within?.customerUserId ?? null, sessionId: session.id };
  // Once it has ended, nothing changes by itself.
  await settle(context, await startNext(context, "complete", { record: named }));
  const now = await setup.current(session);
  if (now === undefined) throw new Unproven("needs a session that can be read once a run has ended in it");
  // What a server keeps of its runs in a session may move it a while after they have ended.
  return { ...now, changesOnlyByMutation: false };
}

/** The only session of a user; else the case is unproven. */
async function createAlone(context: CaseContext): Promise<Subject> {
  return createSession(context, await context.setup.fresh("customer_user"));
}

/** Sessions: a run may have ended in one, and it may be the only one of its user. */
export const session: Resource = {
  states: { used: createUsed, alone: createAlone },
  otherStates: ({ expectedVersion }) => (expectedVersion === undefined ? [] : ["used", "alone"]),
};
