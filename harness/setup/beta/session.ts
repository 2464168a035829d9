import type { JsonValue } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { create } from "../create.ts";
import type { Place } from "../package.ts";
import { sharedUser } from "./customer-user.ts";

const createRow = rpc("beta.v1.SessionService/CreateSession");

/** A session of a user; else the case is unproven. */
export function createSession(context: CaseContext, user: Subject): Promise<Subject> {
  return create(context, createRow, { customerUserId: user.id });
}

/**
 * The session a request names, if it does. A run has a session to itself, and so has a voice ticket: how many of them a
 * session may have at once is not shown. A listing of runs names that of its subject, as it may be required.
 */
export async function sessionFor(
  place: Place,
  row: RpcRow,
  subject: Subject | undefined,
): Promise<JsonValue | undefined> {
  if (row.effect === Effect.LIST) return subject?.record.sessionId;
  if (row.effect !== Effect.CREATE) return undefined;
  return (await createSession(place.context, await sharedUser(place))).id;
}
