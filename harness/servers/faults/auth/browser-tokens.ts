import type { CustomerUserGrant } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { allGrantedWhere, granting, unboundWhere } from "./token-bounds.ts";

const everyScope = [
  "approvals:read",
  "memory:read",
  "memory:write",
  "runs:read",
  "secrets:read",
  "secrets:write",
  "sessions:read",
  "sessions:write",
];

/** Stands for no scope where one is demanded. */
const noScope = "none:asked";

const areaOf = (scope: string) => scope.split(":")[0];

/** Issues tokens by the grant as it was when the first was issued. */
function issuingByFirstGrant(): BetaDecoration {
  const first = new Map<string, CustomerUserGrant>();
  return {
    choices: { updateNarrowsTokens: false },
    parts: (parts) => ({
      boundToken(context, grant, request) {
        const id = idText(grant.customerUserId);
        const known = first.get(id) ?? grant;
        first.set(id, known);
        return parts.boundToken(context, known, request);
      },
    }),
  };
}

/** Gives what a token is issued for to the earlier tokens of its user, too. */
const wideningEarlier: BetaDecoration = {
  parts: (parts) => ({
    boundToken(context, grant, request) {
      const bounds = parts.boundToken(context, grant, request);
      const { principals } = context.world;
      for (const [token, principal] of principals) {
        if (principal.customerUserId !== idText(grant.customerUserId)) continue;
        principals.set(token, { ...principal, scopes: new Set([...principal.scopes, ...bounds.scopes]) });
      }
      return bounds;
    },
  }),
};

export const browserTokenFaults: readonly Fault[] = faultsOf("auth", "beta.v1", {
  "*.tokens.scopes": {
    "IssueBrowserToken-ignores-the-grant": ["gives every scope that is asked for", granting((asked) => asked)],
    "IssueBrowserToken-one-allowed-is-enough": [
      "gives every scope asked for once one of them is allowed",
      granting((asked, allowed) => (asked.some((one) => allowed.includes(one)) ? asked : [])),
    ],
    "IssueBrowserToken-counts-repeated-scopes": [
      "gives every scope asked for where as many are allowed as there are different ones",
      granting((asked, allowed) => {
        const known = asked.filter((one) => allowed.includes(one));
        return known.length >= new Set(asked).size ? asked : known;
      }),
    ],
    "IssueBrowserToken-counts-the-scopes-of-the-grant": [
      "gives every scope asked for, of which one is allowed, where there are no more than the grant has",
      granting((asked, allowed) => {
        const known = asked.filter((one) => allowed.includes(one));
        return known.length > 0 && asked.length > 1 && asked.length <= allowed.length ? asked : known;
      }),
    ],
    "IssueBrowserToken-checks-the-last": [
      "gives every scope asked for once the last of them is allowed",
      granting((asked, allowed) => (allowed.includes(asked.at(-1) ?? "") ? asked : [])),
    ],
    "IssueBrowserToken-payload-implies-reading": [
      "gives the scope to read runs to whom the grant allows their payload",
      granting((asked, allowed) =>
        asked.filter((one) => allowed.includes(one) || (one === "runs:read" && allowed.includes("runs:payload"))),
      ),
    ],
    "IssueBrowserToken-writing-implies-reading": [
      "gives the scope to read what the grant allows to write",
      granting((asked, allowed) =>
        asked.filter((one) => allowed.includes(one) || allowed.includes(one.replace(/:read$/, ":write"))),
      ),
    ],
    "IssueBrowserToken-area-is-enough": [
      "gives every scope of an area of which the grant allows one",
      granting((asked, allowed) => asked.filter((one) => allowed.some((other) => areaOf(other) === areaOf(one)))),
    ],
    "IssueBrowserToken-area-is-enough-for-all": [
      "gives the scopes asked for where each is of an area of which the grant allows one, and none else",
      granting((asked, allowed) =>
        asked.every((one) => allowed.some((other) => areaOf(other) === areaOf(one))) ? asked : [],
      ),
    ],
    "IssueBrowserToken-takes-a-star-for-everything": [
      "takes a scope of one star for every scope there is",
      granting((asked, allowed) => (asked.includes("*") ? everyScope : asked.filter((one) => allowed.includes(one)))),
    ],
    "IssueBrowserToken-takes-a-star-for-an-area": [
      "takes the name of an area and a star for every scope of the area",
      granting((asked, allowed) =>
        asked.flatMap((one) =>
          one.endsWith(":*")
            ? everyScope.filter((other) => areaOf(other) === areaOf(one))
            : allowed.filter((other) => other === one),
        ),
      ),
    ],
    "IssueBrowserToken-checks-no-grant-updated-twice": [
      "gives every scope asked for once the grant was updated twice",
      unboundWhere((_request, { resourceVersion }) => resourceVersion > 2n),
    ],
    "IssueBrowserToken-splits-after-the-check": [
      "checks the first word of each scope asked for, and then splits them at spaces",
      granting((asked, allowed) =>
        asked.filter((one) => allowed.includes(one.split(" ")[0] ?? "")).flatMap((one) => one.split(" ")),
      ),
    ],
    "IssueBrowserToken-checks-lower-case-only": [
      "does not check scopes in capitals, and gives what they mean",
      granting((asked, allowed) =>
        asked.filter((one) => one !== one.toLowerCase() || allowed.includes(one)).map((one) => one.toLowerCase()),
      ),
    ],
    "IssueBrowserToken-asked-for-nothing-gives-everything": [
      "gives every scope there is where none is asked for",
      {
        ...granting((asked, allowed) =>
          asked.includes(noScope) ? everyScope : asked.filter((one) => allowed.includes(one)),
        ),
        request: (json, { row: { method } }) =>
          method === "IssueBrowserToken" && String(json.scopes ?? "") === "" ? { ...json, scopes: [noScope] } : json,
      },
    ],
    "IssueBrowserToken-allowed-nothing-gives-everything": [
      "gives whatever is asked for under a grant that allows no scope",
      granting((asked, allowed) => (allowed.length === 0 ? asked : asked.filter((one) => allowed.includes(one)))),
    ],
    "IssueBrowserToken-checks-the-first-two": [
      "gives every scope asked for behind the first two without a look at the grant",
      granting((asked, allowed) => asked.filter((one, index) => index >= 2 || allowed.includes(one))),
    ],
    "IssueBrowserToken-checks-the-first-eight": [
      "gives what is asked for once the first eight of many scopes are allowed",
      granting((asked, allowed) =>
        asked.length > 8 && asked.slice(0, 8).every((one) => allowed.includes(one))
          ? asked
          : asked.filter((one) => allowed.includes(one)),
      ),
    ],
    ...Object.fromEntries(
      ["secrets:write", "approvals:read"].map((scope) => [
        `IssueBrowserToken-gives-${scope.replace(":", "-")}`,
        [
          `gives ${scope} to whoever asks for no other scope that is not allowed`,
          granting((asked, allowed) => {
            const beyond = asked.filter((one) => !allowed.includes(one));
            return beyond.every((one) => one === scope) ? asked : asked.filter((one) => allowed.includes(one));
          }),
        ] as const,
      ]),
    ),
    "IssueBrowserToken-checks-no-short-lives": [
      "gives every scope asked for to a token that lives for less than a minute",
      unboundWhere(({ lifetimeSeconds }) => lifetimeSeconds < 60),
    ],
    "IssueBrowserToken-checks-no-scopes-beside-origins": [
      "gives every scope asked for to a token for several origins",
      unboundWhere(({ origins }) => origins.length > 1),
    ],
    "IssueBrowserToken-checks-no-scopes-beside-tools": [
      "gives every scope asked for to a token for some tools",
      unboundWhere(({ allowedToolIds }) => allowedToolIds.length > 0),
    ],
    "IssueBrowserToken-checks-no-scopes-without-tools": [
      "gives every scope asked for under a grant of no tools",
      unboundWhere((_request, { allowedToolIds }) => allowedToolIds.length === 0),
    ],
    "IssueBrowserToken-goes-by-the-first-grant": [
      "issues tokens by the grant as it was before it was updated",
      issuingByFirstGrant(),
    ],
  },
  "*.tokens.requested": {
    "IssueBrowserToken-gives-all-granted": [
      "gives every scope of the grant, whatever is asked for",
      granting((_, all) => all),
    ],
    "IssueBrowserToken-hours-bring-all-granted": [
      "gives every scope of the grant to a token that is asked for more than an hour",
      allGrantedWhere(({ lifetimeSeconds }) => lifetimeSeconds > 3600),
    ],
    "IssueBrowserToken-gives-all-granted-without-tools": [
      "gives every scope of the grant to a token that is asked for without tools",
      allGrantedWhere(({ allowedToolIds }) => allowedToolIds.length === 0),
    ],
    "IssueBrowserToken-gives-all-granted-without-origins": [
      "gives every scope of the grant to a token that is asked for without origins",
      allGrantedWhere(({ origins }) => origins.length === 0),
    ],
    "IssueBrowserToken-reading-brings-writing": [
      "gives the writing scope with the reading one",
      granting((asked, allowed) =>
        allowed.filter((one) => asked.includes(one) || asked.includes(one.replace(":write", ":read"))),
      ),
    ],
    "IssueBrowserToken-widens-earlier-tokens": [
      "gives the scopes of a token to the earlier ones of its user, too",
      wideningEarlier,
    ],
    "IssueBrowserToken-gives-memory-besides": [
      "gives the scope to read memory with every token",
      granting((asked, allowed) => allowed.filter((one) => one === "memory:read" || asked.includes(one))),
    ],
  },
  "*.grants.holds": {
    "UpdateCustomerUserGrant-changes-no-tokens": [
      "shows the new scopes, but tokens are issued by the old ones",
      issuingByFirstGrant(),
    ],
  },
});
