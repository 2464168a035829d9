import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { browserScopes, originOf } from "../../harness/setup/beta/customer-user.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { rpc } from "../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/** A request for a token that may have no scope of some, as the grant of its user allows none of them. */
export interface Beyond {
  readonly user: Subject;
  readonly fields: JsonObject;
  readonly without: readonly string[];
}

/** A user by a grant of some fields; undefined where the target takes no such grant, which is open. */
async function granted(context: CaseContext, fields: JsonObject): Promise<Subject | undefined> {
  const reply = await callToCreate(context, grantRow, fields);
  if (reply.outcome === "refused") return undefined;
  context.needs(reply);
  return context.setup.subjectIn(reply);
}

/** A short lifetime, in seconds, that leaves time to try the token. */
const shortSeconds = 20;

/**
 * Requests for scopes that a grant does not allow, each of which another part of a server may serve: for one scope alone, behind many
 * that are allowed, for a short life, several origins or a tool, and under a grant of no tools.
 */
export async function asksBeyond(
  context: CaseContext,
  narrow: Subject,
  own: string,
  others: readonly string[],
): Promise<readonly Beyond[]> {
  const { target } = context;
  const allowedBrowserTokenScopes = [own];
  const origin = originOf(context);
  const origins = [origin, `${origin.replace(/:\d+$/, "")}:9443`];
  const tools = target.beta.toolIds.slice(0, 1).map((value) => ({ value }));
  const last = others.at(-1) ?? own;
  const most = browserScopes.filter((scope) => scope !== last);
  const asked: Beyond[] = others.map((scope) => ({ user: narrow, fields: { scopes: [own, scope] }, without: [scope] }));
  const wide = { scopes: [own, ...others] };
  asked.push({ user: narrow, fields: { ...wide, lifetimeSeconds: shortSeconds }, without: others });
  const further: readonly (readonly [grant: JsonObject, fields: JsonObject, without: readonly string[]])[] = [
    [{ allowedBrowserTokenScopes: most }, { scopes: [...most, last] }, [last]],
    [{ allowedBrowserTokenScopes, registeredOrigins: origins }, { ...wide, origins }, others],
    [{ allowedBrowserTokenScopes, allowedToolIds: tools }, { ...wide, allowedToolIds: tools }, others],
    [{ allowedBrowserTokenScopes, allowedToolIds: [] }, { ...wide, allowedToolIds: [] }, others],
  ];
  for (const [grant, fields, without] of further) {
    const user = await granted(context, grant);
    if (user !== undefined) asked.push({ user, fields, without });
  }
  return asked;
}
