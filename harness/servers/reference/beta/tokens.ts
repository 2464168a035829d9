import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { idText } from "../core/fields.ts";
import { refuse, refuseFields } from "../core/refusal.ts";
import type { TokenBounds, TokenRequest } from "./parts.ts";
import type { BetaContext } from "./world.ts";

/** The bounds of a token within its grant. Refuses what the grant does not allow, or cuts it off. */
export function boundToken(context: BetaContext, grant: CustomerUserGrant, request: TokenRequest): TokenBounds {
  const { choices, clock } = context.world;
  const { allowedBrowserTokenScopes, registeredOrigins, expiresAt } = grant;
  const scopes = request.scopes.filter((scope) => allowedBrowserTokenScopes.includes(scope));
  if (scopes.length < request.scopes.length && choices.excessScopes === "refuse") {
    refuse("AUTHORIZATION_DENIED", "the grant does not allow every scope asked for");
  }
  const within = (asked: readonly string[], granted: readonly string[], field: string): readonly string[] => {
    if (asked.length === 0) return granted;
    const kept = asked.filter((one) => granted.includes(one));
    if (kept.length === asked.length || granted.length === 0 || choices.excessBounds === "allow") return asked;
    if (choices.excessBounds === "narrow") return kept;
    refuseFields({ field, description: "is not within the grant" });
  };
  const { defaultTokenLifetimeSeconds, maximumTokenLifetimeSeconds: longest } = choices;
  const seconds = request.lifetimeSeconds === 0 ? defaultTokenLifetimeSeconds : request.lifetimeSeconds;
  if (seconds > longest && choices.longTokenLifetime === "refuse") {
    refuseFields({ field: "lifetimeSeconds", description: `is more than ${longest}` });
  }
  const asked = clock.now() + Math.min(seconds, longest) * 1000;
  const ends = expiresAt === undefined || !choices.tokensEndWithGrant ? asked : timestampMs(expiresAt);
  return {
    scopes: new Set(scopes),
    origins: within(request.origins, registeredOrigins, "origins"),
    allowedToolIds: within(request.allowedToolIds.map(idText), grant.allowedToolIds.map(idText), "allowedToolIds"),
    until: Math.min(asked, ends),
  };
}

/** Issues a browser token for the user of a grant. Returns it in plaintext. */
export function issueToken({ world, tenant }: BetaContext, bounds: TokenBounds): string {
  const token = `beta_bt_${world.random.token(40)}`;
  const id = `bt-${world.newId()}`;
  world.principals.set(token, { id, kind: CredentialKind.BROWSER_TOKEN, ...tenant, ...bounds });
  return token;
}

/** Takes every browser token of a customer user out of use. */
export function endTokens({ world }: BetaContext, customerUserId: string): void {
  for (const [token, principal] of world.principals) {
    if (principal.customerUserId === customerUserId) world.principals.delete(token);
  }
}
