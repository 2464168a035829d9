import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import type { BetaPrincipal } from "../../reference/beta/keys.ts";
import type { BetaContext } from "../../reference/beta/world.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** A token in use, and the grant of its user; undefined once that is gone. */
interface Used {
  readonly token: BetaPrincipal;
  readonly grant: CustomerUserGrant | undefined;
  readonly context: BetaContext;
}

const everyScope = ({ context }: Used): ReadonlySet<string> =>
  new Set([...context.world.principals.values()].flatMap(({ scopes }) => [...scopes]));

/** Takes a browser token for more than it was issued for, where something has happened to it since. */
function taking(more: (used: Used) => Partial<BetaPrincipal> | undefined): BetaDecoration {
  return {
    choices: { revocationEndsTokens: false, updateNarrowsTokens: false },
    parts({ authenticate }) {
      const known = new Map<string, BetaPrincipal>();
      return {
        authenticate(context) {
          const sent = context.call.headers.authorization ?? "";
          const token = known.get(sent) ?? authenticate(context);
          if (token.kind !== CredentialKind.BROWSER_TOKEN) return token;
          known.set(sent, token);
          const grant = context.world.tables.customer_user.find(token.customerUserId ?? "")?.record;
          const gained = more({ token, grant, context });
          return gained === undefined ? authenticate(context) : { ...token, ...gained };
        },
      };
    },
  };
}

/** How long what a token may do is kept, in milliseconds, until it is looked up in the grant of its user. */
const keptMs = 2000;

/** What the grant allows, for a token that was used a while ago for the first time. */
function reloaded(): (used: Used) => Partial<BetaPrincipal> | undefined {
  const first = new Map<string, number>();
  return ({ token, grant, context }) => {
    const now = context.world.clock.now();
    const since = first.get(token.id) ?? now;
    first.set(token.id, since);
    return grant !== undefined && now - since > keptMs
      ? { scopes: new Set(grant.allowedBrowserTokenScopes) }
      : undefined;
  };
}

/** At which of its uses what a token may do is looked up in the grant of its user. */
const lookedUpAt = 10;

/** What the grant allows, for a token that was used some times. */
function reloadedOften(): (used: Used) => Partial<BetaPrincipal> | undefined {
  const uses = new Map<string, number>();
  return ({ token, grant }) => {
    const count = (uses.get(token.id) ?? 0) + 1;
    uses.set(token.id, count);
    return grant !== undefined && count >= lookedUpAt
      ? { scopes: new Set(grant.allowedBrowserTokenScopes) }
      : undefined;
  };
}

/** How long before its end a token is taken for another, in milliseconds. */
const lastMs = 20_000;

export const grownTokens: readonly Fault[] = faultsOf("auth", "beta.v1", {
  "*.tokens.requested": {
    "IssueBrowserToken-updates-widen-live-tokens": [
      "lets a live token do what the grant allows, once that was updated",
      taking(({ grant }) =>
        grant !== undefined && grant.resourceVersion > 1n
          ? { scopes: new Set(grant.allowedBrowserTokenScopes) }
          : undefined,
      ),
    ],
    "IssueBrowserToken-revocation-widens-live-tokens": [
      "asks no scope of the tokens of a grant that was revoked",
      taking((used) => (used.grant?.revokedAt === undefined ? undefined : { scopes: everyScope(used) })),
    ],
    "IssueBrowserToken-scopes-reloaded-from-the-grant": [
      "lets a token do what the grant allows, two seconds after its first use",
      taking(reloaded()),
    ],
    "IssueBrowserToken-scopes-reloaded-at-the-tenth-use": [
      "lets a token do what the grant allows, once it was used ten times",
      taking(reloadedOften()),
    ],
    "IssueBrowserToken-last-seconds-widen-tokens": [
      "asks no scope of a token that is about to expire",
      taking((used) =>
        (used.token.until ?? 0) - used.context.world.clock.now() < lastMs ? { scopes: everyScope(used) } : undefined,
      ),
    ],
  },
  "*.isolation.user-list": {
    "ListSessions-takes-tokens-of-deleted-users-for-anybodys": [
      "takes the token of a user who was deleted for one of any user",
      taking(({ grant }) => (grant === undefined ? { customerUserId: undefined } : undefined)),
    ],
    "ListSessions-takes-tokens-of-revoked-grants-for-anybodys": [
      "takes the token of a user whose grant was revoked for one of any user",
      taking(({ grant }) => (grant?.revokedAt === undefined ? undefined : { customerUserId: undefined })),
    ],
  },
});
