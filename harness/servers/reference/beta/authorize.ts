import { CredentialKind } from "../../../../proto/rpcs.ts";
import { authenticate as authenticateAnybody, authorizeScope as requireScope } from "../core/authorize.ts";
import { principalOf } from "../core/context.ts";
import { refuse } from "../core/refusal.ts";
import { hasCome } from "../core/times.ts";
import { isReading } from "../core/validate.ts";
import { type BetaPrincipal, webhookPermissions } from "./keys.ts";
import type { BetaContext, BetaWorld } from "./world.ts";

/** Finds the caller. A browser token whose grant ended it is no credential, one from another origin is not served. */
export function authenticate(context: BetaContext): BetaPrincipal {
  const principal: BetaPrincipal = authenticateAnybody(context);
  if (principal.kind !== CredentialKind.BROWSER_TOKEN) return principal;
  if (!context.world.parts.isLive(context.world, principal)) {
    refuse("AUTHENTICATION_REQUIRED", "a valid credential is required");
  }
  context.world.parts.authorizeOrigin(context, principal);
  return context.world.choices.updateNarrowsTokens ? narrowed(context.world, principal) : principal;
}

/** Whether a browser token's grant still carries it. */
export function isLive(world: BetaWorld, { customerUserId = "" }: BetaPrincipal): boolean {
  const grant = world.tables.customer_user.find(customerUserId)?.record;
  if (grant === undefined) return false;
  const { revocationEndsTokens, grantExpiryEndsTokens } = world.choices;
  const revoked = revocationEndsTokens && grant.revokedAt !== undefined;
  return !revoked && !(grantExpiryEndsTokens && hasCome(grant.expiresAt, world.clock.now()));
}

/** A token with those of its scopes that its grant allows now. */
function narrowed(world: BetaWorld, principal: BetaPrincipal): BetaPrincipal {
  const { allowedBrowserTokenScopes = [] } =
    world.tables.customer_user.find(principal.customerUserId ?? "")?.record ?? {};
  const scopes = new Set(allowedBrowserTokenScopes.filter((scope) => principal.scopes.has(scope)));
  return { ...principal, scopes };
}

/** Refuses a browser token from an origin it was not issued for. */
export function authorizeOrigin({ world, call }: BetaContext, { origins = [] }: BetaPrincipal): void {
  const { originEnforced } = world.choices;
  const { origin } = call.headers;
  if (originEnforced === "never" || origins.length === 0) return;
  if (origin === undefined && originEnforced === "when sent") return;
  if (origin === undefined || !origins.some((one) => isSameOrigin(one, origin))) {
    refuse("AUTHORIZATION_DENIED", "the token was not issued for this origin");
  }
}

/** Whether two origins are one; browsers leave a scheme's usual port out. */
function isSameOrigin(one: string, other: string): boolean {
  return one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin);
}

/** Refuses a credential without the row's scope; of an idpUser a platform permission is asked instead. */
export function authorizeScope(context: BetaContext): void {
  const principal: BetaPrincipal = principalOf(context);
  if (principal.kind !== CredentialKind.IDP_USER) requireScope(context);
  else context.world.parts.authorizePermission(context, principal);
}

/** Refuses an idpUser without the platform permission that the row's effect needs. */
export function authorizePermission({ row }: BetaContext, { permissions }: BetaPrincipal): void {
  if (permissions?.has(isReading(row) ? webhookPermissions.read : webhookPermissions.write)) return;
  refuse("AUTHORIZATION_DENIED", "the user lacks the platform permission");
}
