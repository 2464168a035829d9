import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { CredentialKind, rpcs } from "../../../../proto/rpcs.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { createCustomerUserGrant, updateCustomerUserGrant } = CustomerUserService.method;

/** The scopes of RPCs that take a browser token. */
const usable: ReadonlySet<string> = new Set(
  rpcs.filter(({ credentials }) => credentials.includes(CredentialKind.BROWSER_TOKEN)).map(({ scope }) => scope),
);

function requireUsable(scopes: readonly string[]): void {
  if (scopes.every((scope) => usable.has(scope))) return;
  refuseFields({ field: "allowedBrowserTokenScopes", description: "holds a scope that no browser token has use for" });
}

/** Scopes that are for backend keys, in grants and in browser tokens. */
export const browserScopeVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "grants-of-browser-scopes-only",
    says: "refuses a grant that allows a scope no browser token has use for",
    open: ["beta.open.grant-forms"],
    decoration: {
      handlers: {
        ...aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
          requireUsable(request.allowedBrowserTokenScopes);
          return next(context, request);
        }),
        ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
          requireUsable(request.allowedBrowserTokenScopes);
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "grants-without-scopes-allow-all",
    says: "fills in, and shows, every scope of browser tokens where a grant is made without any",
    open: ["beta.open.required-fields"],
    decoration: {
      handlers: aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
        const { allowedBrowserTokenScopes: named } = request;
        return next(context, { ...request, allowedBrowserTokenScopes: named.length === 0 ? [...usable] : named });
      }),
    },
  }),
  defineBetaVariant({
    id: "tokens-of-browser-scopes-only",
    says: "issues browser tokens without the scopes that no browser token has use for",
    open: ["beta.open.token-bounds"],
    decoration: {
      parts: ({ boundToken }) => ({
        boundToken(context, grant, request) {
          const bounds = boundToken(context, grant, request);
          return { ...bounds, scopes: new Set([...bounds.scopes].filter((scope) => usable.has(scope))) };
        },
      }),
    },
  }),
];
