import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { TokenBounds, TokenRequest } from "../../reference/beta/parts.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const rpc = "beta.v1.CustomerUserService/IssueBrowserToken";
const everything = [
  "approvals:read",
  "memory:read",
  "memory:write",
  "runs:read",
  "secrets:read",
  "secrets:write",
  "sessions:read",
  "sessions:write",
];

/** Tokens bounded another way; live tokens keep what they were issued with. */
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

/** Gives scopes by a rule of its own. */
function giving(scopes: (asked: readonly string[], allowed: readonly string[]) => readonly string[]): BetaDecoration {
  return bounding((_bounds, grant, request) => ({
    scopes: new Set(scopes(request.scopes, grant.allowedBrowserTokenScopes)),
  }));
}

/** Lets tokens live another time. */
function living(seconds: (asked: number) => number): BetaDecoration {
  return bounding(({ until }, _grant, { lifetimeSeconds }) => ({
    until: until + (seconds(lifetimeSeconds) - lifetimeSeconds) * 1000,
  }));
}

type Row = readonly [what: string, breaks: string, says: string, decoration: BetaDecoration];

const areaOf = (scope: string) => scope.split(":")[0];

const rows: readonly Row[] = [
  ["ignores-the-grant", "tokens.scopes", "gives every scope that is asked for", giving((asked) => asked)],
  [
    "one-allowed-is-enough",
    "tokens.scopes",
    "gives every scope asked for once one of them is allowed",
    giving((asked, allowed) => (asked.some((one) => allowed.includes(one)) ? asked : [])),
  ],
  [
    "area-is-enough",
    "tokens.scopes",
    "gives every scope of an area of which the grant allows one",
    giving((asked, allowed) => asked.filter((one) => allowed.some((other) => areaOf(other) === areaOf(one)))),
  ],
  [
    "takes-a-star-for-everything",
    "tokens.scopes",
    "takes a scope of one star for every scope there is",
    giving((asked, allowed) => (asked.includes("*") ? everything : asked.filter((one) => allowed.includes(one)))),
  ],
  [
    "splits-after-the-check",
    "tokens.scopes",
    "splits what is asked for at spaces after it has looked at its beginning",
    giving((asked, allowed) =>
      asked.filter((one) => allowed.includes(one.split(" ")[0] ?? "")).flatMap((one) => one.split(" ")),
    ),
  ],
  [
    "checks-lower-case-only",
    "tokens.scopes",
    "lets scopes in capitals through, and takes them for what they mean",
    giving((asked, allowed) =>
      asked.filter((one) => one !== one.toLowerCase() || allowed.includes(one)).map((one) => one.toLowerCase()),
    ),
  ],
  [
    "gives-all-granted",
    "tokens.requested",
    "gives every scope of the grant, whatever is asked for",
    giving((_, all) => all),
  ],
  [
    "reading-brings-writing",
    "tokens.requested",
    "gives the writing scope with the reading one",
    giving((asked, allowed) =>
      allowed.filter((one) => asked.includes(one) || asked.includes(one.replace(":write", ":read"))),
    ),
  ],
  [
    "gives-memory-besides",
    "tokens.requested",
    "gives the scope to read memory with every token",
    giving((asked, allowed) => allowed.filter((one) => one === "memory:read" || asked.includes(one))),
  ],
  ["doubles-lifetime", "tokens.lifetime", "lets tokens live twice as long as asked", living((asked) => asked * 2)],
  ["lives-minutes", "tokens.lifetime", "takes seconds for minutes", living((asked) => asked * 60)],
  ["ignores-lifetime", "tokens.lifetime", "lets every token live two hours", living(() => 7200)],
  [
    "at-least-an-hour",
    "tokens.lifetime",
    "lets no token live less than an hour",
    living((asked) => Math.max(asked, 3600)),
  ],
];

export const tokenFaults: readonly Fault[] = rows.map(([what, breaks, says, decoration]) =>
  defineBetaFault({
    id: `auth/beta-IssueBrowserToken-${what}`,
    says: `IssueBrowserToken ${says}`,
    breaks: `beta.${breaks}`,
    rpc,
    decoration,
  }),
);

/** The grant as it was when it was first seen. */
function firstGrants(): (grant: CustomerUserGrant) => CustomerUserGrant {
  const known = new Map<string, CustomerUserGrant>();
  return (grant) => {
    const first = known.get(idText(grant.customerUserId)) ?? grant;
    known.set(idText(grant.customerUserId), first);
    return first;
  };
}

function issuingByFirstGrant(): BetaDecoration {
  const first = firstGrants();
  return {
    choices: { updateNarrowsTokens: false },
    parts: (parts) => ({ boundToken: (context, grant, request) => parts.boundToken(context, first(grant), request) }),
  };
}

export const otherTokenFaults: readonly Fault[] = [
  defineBetaFault({
    id: "auth/beta-IssueBrowserToken-goes-by-the-first-grant",
    says: "issues tokens by the grant as it was before it was updated",
    breaks: "beta.tokens.scopes",
    rpc,
    decoration: issuingByFirstGrant(),
  }),
  defineBetaFault({
    id: "auth/beta-UpdateCustomerUserGrant-changes-no-tokens",
    says: "an update of the grant shows the new scopes, but tokens are issued by the old ones",
    breaks: "beta.grants.holds",
    rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
    decoration: issuingByFirstGrant(),
  }),
  defineBetaFault({
    id: "auth/beta-IssueBrowserToken-outlives-its-expiry",
    says: "goes on serving a token after it has expired",
    breaks: "beta.tokens.expired",
    rpc,
    decoration: {
      ...living((asked) => asked + 3600),
      reply: forRpc(rpc, (json) => ({
        ...json,
        expiresAt: new Date(Date.parse(String(json.expiresAt)) - 3_600_000).toISOString(),
      })),
    },
  }),
  defineBetaFault({
    id: "auth/beta-IssueBrowserToken-is-over-already",
    says: "gives the time of the issue, an hour of zones away, for the time of expiry",
    breaks: "beta.urls.expire-later",
    rpc,
    decoration: changedReply(rpc, "expiresAt", (value) =>
      new Date(Date.parse(String(value)) - 7_200_000).toISOString(),
    ),
  }),
  defineBetaFault({
    id: "auth/beta-IssueBrowserToken-says-no-expiry",
    says: "does not say when a token expires",
    breaks: "beta.urls.expire-later",
    rpc,
    decoration: changedReply(rpc, "expiresAt", () => undefined),
  }),
  defineBetaFault({
    id: "secrecy/beta-IssueBrowserToken-gives-none",
    says: "gives no token",
    breaks: "beta.credentials.first",
    rpc,
    decoration: changedReply(rpc, "token", () => undefined),
  }),
];
