import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { TokenBounds, TokenRequest } from "../../reference/beta/parts.ts";
import type { BetaDecoration } from "../../reference/main.ts";

/** Issues tokens within other bounds; live tokens keep what they were issued with. */
function bounding(
  bound: (bounds: TokenBounds, grant: CustomerUserGrant, request: TokenRequest) => Partial<TokenBounds>,
): BetaDecoration {
  return {
    choices: { updateNarrowsTokens: false, excessScopes: "narrow" },
    parts: (parts) => ({
      boundToken(context, grant, request) {
        const bounds = parts.boundToken(context, grant, request);
        return { ...bounds, ...bound(bounds, grant, request) };
      },
    }),
  };
}

/** Grants tokens scopes by another rule. */
export function granting(
  scopes: (asked: readonly string[], allowed: readonly string[]) => readonly string[],
): BetaDecoration {
  return bounding((_bounds, grant, request) => ({
    scopes: new Set(scopes(request.scopes, grant.allowedBrowserTokenScopes)),
  }));
}

/** Lets tokens live for another time than was asked for, in seconds. */
export function living(seconds: (asked: number) => number): BetaDecoration {
  return bounding(({ until }, _grant, { lifetimeSeconds }) => ({
    until: until + (seconds(lifetimeSeconds) - lifetimeSeconds) * 1000,
  }));
}

/** Gives every scope of the grant where a request is of a kind. */
export function allGrantedWhere(when: (request: TokenRequest) => boolean): BetaDecoration {
  return bounding((_bounds, grant, request) =>
    when(request) ? { scopes: new Set(grant.allowedBrowserTokenScopes) } : {},
  );
}

/** Gives every scope asked for where a request, or the grant, is of a kind. */
export function unboundWhere(when: (request: TokenRequest, grant: CustomerUserGrant) => boolean): BetaDecoration {
  return bounding(({ scopes }, grant, request) => ({
    scopes: when(request, grant) ? new Set(request.scopes) : scopes,
  }));
}
