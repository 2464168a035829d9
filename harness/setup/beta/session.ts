import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { create } from "../create.ts";
import type { Place } from "../package.ts";

const createRow = rpc("beta.v1.SessionService/CreateSession");

/** A session of a user; else the case is unproven. */
export function createSession(context: CaseContext, user: Subject): Promise<Subject> {
  return create(context, createRow, { customerUserId: user.id });
}

/** A session of the tenant's own user, shared. */
export function sharedSession({ context, label }: Place): Promise<Subject> {
  return context.run.once(`beta ${label} session`, () => context.shared((outer) => outer.setup.fresh("session")));
}
