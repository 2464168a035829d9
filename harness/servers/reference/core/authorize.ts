import { type Context, type Principal, principalOf, type World } from "./context.ts";
import { uuidPattern } from "./ids.ts";
import { refuse } from "./refusal.ts";

/** Finds the caller of a Bearer credential (RFC 6750 §2.1; the scheme's letter case is free). */
export function authenticate(context: Context): Principal {
  const credential = /^bearer ([\x21-\x7e]+)$/i.exec(context.call.headers.authorization ?? "")?.[1];
  const principal = credential === undefined ? undefined : context.world.principals.get(credential);
  const valid = principal !== undefined && (principal.until ?? Number.POSITIVE_INFINITY) > context.world.clock.now();
  return valid ? principal : refuse("AUTHENTICATION_REQUIRED", "a valid credential is required");
}

/** Refuses a credential whose kind is not among those of the row. */
export function authorizeKind(context: Context): void {
  if (context.row.credentials.includes(principalOf(context).kind)) return;
  refuse("AUTHORIZATION_DENIED", "this kind of credential may not make this call");
}

/** Refuses a credential without the row's scope. */
export function authorizeScope(context: Context): void {
  const { scope } = context.row;
  if (!principalOf(context).scopes.has(scope)) refuse("AUTHORIZATION_DENIED", `the scope ${scope} is required`);
}

/** Refuses a workspace that is not the credential's own. An absent or malformed one is left to validation. */
export function authorizeWorkspace(context: Context<World>): void {
  if (isOwn(context.workspaceId, principalOf(context).workspaceId)) return;
  refuseForeign("workspace", context.world.choices.foreignWorkspaceAnswer);
}

/** Refuses an app that is not the credential's own. */
export function authorizeApp(context: Context): void {
  if (isOwn(context.tenant.appId, principalOf(context).appId)) return;
  refuseForeign("app", context.world.choices.foreignWorkspaceAnswer);
}

/** Refuses a customer user other than the one the credential was issued for. */
export function authorizeUser(context: Context): void {
  if (isOwn(context.tenant.customerUserId, principalOf(context).customerUserId)) return;
  refuseForeign("customer user", context.world.choices.foreignUserAnswer);
}

/** Whether the named thing is the credential's own, or not for authorization to judge. */
function isOwn(named: string, own: string | undefined): boolean {
  return own === undefined || !uuidPattern.test(named) || named === own;
}

function refuseForeign(what: string, answer: "not-found" | "denied"): never {
  if (answer === "denied") refuse("AUTHORIZATION_DENIED", `the credential belongs to another ${what}`);
  refuse("RESOURCE_NOT_FOUND", `no such ${what}`);
}
