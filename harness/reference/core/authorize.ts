import { type Context, type Principal, principalOf, type World } from "./context.ts";
import { uuidPattern } from "./ids.ts";
import { refuse } from "./refusal.ts";

/** Finds the caller of a Bearer credential (RFC 6750 §2.1; the scheme's letter case is free). */
export function authenticate(context: Context): Principal {
  const credential = /^bearer ([\x21-\x7e]+)$/i.exec(context.call.headers.authorization ?? "")?.[1];
  const principal = credential === undefined ? undefined : context.world.principals.get(credential);
  return principal ?? refuse("AUTHENTICATION_REQUIRED", "a valid API key is required");
}

/** Refuses a credential whose kind or scopes are not those of the row. */
export function authorizeScope(context: Context): void {
  const { row } = context;
  const principal = principalOf(context);
  if (!row.credentials.includes(principal.kind))
    refuse("AUTHORIZATION_DENIED", "this kind of credential may not make this call");
  if (!principal.scopes.has(row.scope)) refuse("AUTHORIZATION_DENIED", `the scope ${row.scope} is required`);
}

/** Refuses a workspace that is not the credential's own. An absent or malformed one is left to validation. */
export function authorizeWorkspace(context: Context<World>): void {
  if (!uuidPattern.test(context.workspaceId) || context.workspaceId === principalOf(context).workspaceId) return;
  if (context.world.choices.foreignWorkspaceAnswer === "denied") {
    refuse("AUTHORIZATION_DENIED", "the credential belongs to another workspace");
  }
  refuse("RESOURCE_NOT_FOUND", "no such workspace");
}
