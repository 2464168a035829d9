import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Serves a browser token where one of its scopes is near enough to what is asked for. */
const takingAlike = (isNear: (held: string, asked: string) => boolean): BetaDecoration => ({
  parts: ({ authorizeScope }) => ({
    authorizeScope(context) {
      const { kind, scopes } = principalOf(context);
      const near = kind === CredentialKind.BROWSER_TOKEN && [...scopes].some((one) => isNear(one, context.row.scope));
      if (!near) authorizeScope(context);
    },
  }),
});

/** A token has, as it is used, the scopes of whichever token of its user with more of them was used before. */
function havingTheWidest(): BetaDecoration {
  const widest = new Map<string, ReadonlySet<string>>();
  return {
    choices: { updateNarrowsTokens: false },
    parts: ({ authenticate }) => ({
      authenticate(context) {
        const token = authenticate(context);
        if (token.kind !== CredentialKind.BROWSER_TOKEN) return token;
        const user = token.customerUserId ?? "";
        const known = widest.get(user) ?? token.scopes;
        const scopes = known.size > token.scopes.size ? known : token.scopes;
        widest.set(user, scopes);
        return { ...token, scopes };
      },
    }),
  };
}

/** Grants whose scopes were all taken away go on giving out tokens for those that they had. */
function keepingTheLast(): BetaDecoration {
  const before = new Map<string, readonly string[]>();
  return {
    choices: { updateNarrowsTokens: false },
    handlers: aroundBeta(CustomerUserService.method.updateCustomerUserGrant, (next) => (context, request) => {
      const { allowedBrowserTokenScopes } = context.subject as CustomerUserGrant;
      if (allowedBrowserTokenScopes.length > 0) before.set(idText(request.customerUserId), allowedBrowserTokenScopes);
      return next(context, request);
    }),
    parts: ({ boundToken }) => ({
      boundToken(context, grant, request) {
        const kept =
          grant.allowedBrowserTokenScopes.length === 0 ? before.get(idText(grant.customerUserId)) : undefined;
        return boundToken(
          context,
          kept === undefined ? grant : { ...grant, allowedBrowserTokenScopes: [...kept] },
          request,
        );
      },
    }),
  };
}

export const likeScopes: readonly Fault[] = faultsOf("auth", "beta.v1", {
  "*.tokens.scopes": {
    "IssueBrowserToken-scopes-by-their-beginning": [
      "takes a token for one of every scope that one of its own begins with",
      takingAlike((held, asked) => held.startsWith(asked)),
    ],
    "IssueBrowserToken-scopes-cut-short": [
      "takes a token for one of every scope that begins as one of its own",
      takingAlike((held, asked) => asked.startsWith(held)),
    ],
    "IssueBrowserToken-takes-no-scopes-for-the-former": [
      "gives out tokens for the former scopes of a grant whose scopes were all taken away",
      keepingTheLast,
    ],
  },
  "*.tokens.requested": {
    "IssueBrowserToken-scopes-of-the-token-used-before": [
      "lets a token do what another of its user was used for before",
      havingTheWidest,
    ],
  },
});
