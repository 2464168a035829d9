import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { grantOf } from "../../reference/beta/subject.ts";
import type { BetaContext } from "../../reference/beta/world.ts";
import { refuse, refuseFields } from "../../reference/core/refusal.ts";
import { hasCome } from "../../reference/core/times.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const {
  createCustomerUserGrant,
  deleteCustomerUser,
  getCustomerUserGrant,
  issueBrowserToken,
  revokeCustomerUserGrant,
  updateCustomerUserGrant,
} = CustomerUserService.method;

function requireHttps(origins: readonly string[]): void {
  if (origins.every((origin) => origin.startsWith("https:"))) return;
  refuseFields({ field: "registeredOrigins", description: "is not of the scheme https" });
}

type Ended = (grant: CustomerUserGrant, context: BetaContext) => boolean;

const isRevoked: Ended = ({ revokedAt }) => revokedAt !== undefined;
const hasExpired: Ended = ({ expiresAt }, { world }) => hasCome(expiresAt, world.clock.now());

/** Refuses to show a grant once it has ended. */
function unread(hasEnded: Ended) {
  return aroundBeta(getCustomerUserGrant, (next) => (context, request) => {
    const grant = grantOf(context.world, context.tenant, request.externalUserId);
    if (grant !== undefined && hasEnded(grant, context)) refuse("RESOURCE_NOT_FOUND", "no such customer user");
    return next(context, request);
  });
}

/** Refuses a change of a grant once it has expired. */
function requireUnexpired(context: BetaContext): void {
  if (hasExpired(context.world.parts.findUser(context), context))
    refuse("FAILED_PRECONDITION", "the grant has expired");
}

/** The shortest lifetime of a token, in seconds. */
const leastSeconds = 300;

/** How long a token works after its expiry, in milliseconds. */
const leewayMs = 6000;

/** Grants and browser tokens that are handled more strictly, or less, than the reference does. */
export const strictGrantVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "origins-as-texts",
    says: "takes two origins for one only where their texts are equal, and is described without an origin",
    open: ["beta.open.origin"],
    decoration: {
      parts: () => ({
        authorizeOrigin({ call }, { origins = [] }) {
          const { origin } = call.headers;
          if (origin === undefined || origins.includes(origin)) return;
          refuse("AUTHORIZATION_DENIED", "the token was not issued for this origin");
        },
      }),
    },
    target: (file) => ({ ...file, beta: { ...file.beta, browserOrigin: undefined } }),
  }),
  defineBetaVariant({
    id: "origins-of-https-only",
    says: "registers no origin of another scheme than https",
    open: ["beta.open.grant-forms"],
    decoration: {
      handlers: {
        ...aroundBeta(createCustomerUserGrant, (next) => (context, request) => {
          requireHttps(request.registeredOrigins);
          return next(context, request);
        }),
        ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
          requireHttps(request.registeredOrigins);
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "revoked-grant-is-gone",
    says: "neither shows nor updates a grant once it is revoked",
    open: ["beta.open.transitions", "beta.open.live-tokens"],
    permits: ["not-exercised"],
    decoration: {
      handlers: {
        ...unread(isRevoked),
        ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
          const grant = context.world.parts.findUser(context);
          if (grant.revokedAt !== undefined) refuse("FAILED_PRECONDITION", "the grant is revoked");
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "revoked-grant-is-updated-unread",
    says: "does not show a grant once it is revoked, and updates it all the same",
    open: ["beta.open.transitions", "beta.open.live-tokens"],
    permits: ["not-exercised"],
    // Its version is told to who changed it last, and to nobody else.
    outOfReach: ["customer_user"],
    decoration: {
      handlers: unread(isRevoked),
    },
  }),
  defineBetaVariant({
    id: "expired-grants-are-frozen",
    says: "neither updates nor revokes a grant once it has expired",
    open: ["beta.open.transitions"],
    permits: ["not-exercised"],
    decoration: {
      handlers: {
        ...aroundBeta(updateCustomerUserGrant, (next) => (context, request) => {
          requireUnexpired(context);
          return next(context, request);
        }),
        ...aroundBeta(revokeCustomerUserGrant, (next) => (context, request) => {
          requireUnexpired(context);
          return next(context, request);
        }),
      },
    },
  }),
  defineBetaVariant({
    id: "expired-grant-is-gone",
    says: "does not find a customer user once the grant has expired",
    open: ["beta.open.transitions", "beta.open.live-tokens"],
    permits: ["not-exercised"],
    outOfReach: ["customer_user"],
    decoration: {
      handlers: unread(hasExpired),
      parts: ({ findUser }) => ({
        findUser(context) {
          const grant = findUser(context);
          if (hasExpired(grant, context)) refuse("RESOURCE_NOT_FOUND", "no such customer user");
          return grant;
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "users-with-grants-stay",
    says: "deletes a customer user only once the grant was revoked",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(deleteCustomerUser, (next) => (context, request) => {
        const grant = context.world.parts.findUser(context);
        if (grant.revokedAt === undefined) refuse("FAILED_PRECONDITION", "the grant is not revoked");
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "token-lifetimes-of-minutes",
    says: `issues no browser token for less than ${leastSeconds} seconds`,
    open: ["beta.open.token-lifetime"],
    decoration: {
      handlers: aroundBeta(issueBrowserToken, (next) => (context, request) => {
        if (request.lifetimeSeconds > 0 && request.lifetimeSeconds < leastSeconds) {
          refuseFields({ field: "lifetimeSeconds", description: `is less than ${leastSeconds}` });
        }
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "tokens-outlive-their-expiry",
    says: `serves a browser token for ${leewayMs / 1000} seconds after its expiry, as clocks differ`,
    open: ["beta.open.token-lifetime"],
    decoration: {
      parts: ({ authenticate }) => ({
        authenticate(context) {
          const credential = /^bearer (.*)$/i.exec(context.call.headers.authorization ?? "")?.[1] ?? "";
          const principal = context.world.principals.get(credential);
          const now = context.world.clock.now();
          if (principal?.kind !== CredentialKind.BROWSER_TOKEN || (principal.until ?? 0) > now) {
            return authenticate(context);
          }
          if ((principal.until ?? 0) + leewayMs <= now) refuse("AUTHENTICATION_REQUIRED", "the token has expired");
          context.world.principals.set(credential, { ...principal, until: now + 1000 });
          try {
            return authenticate(context);
          } finally {
            context.world.principals.set(credential, principal);
          }
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "tools-unchecked",
    says: "takes any id for a tool, in grants and in tokens, and is described without tools",
    open: ["beta.open.apps", "beta.open.token-bounds"],
    decoration: {
      choices: { emptyToolList: "every tool", excessBounds: "allow" },
      parts: () => ({ requireTools: () => {}, allowsTool: () => true }),
    },
    target: (file) => ({ ...file, beta: { ...file.beta, toolIds: [] } }),
  }),
];
