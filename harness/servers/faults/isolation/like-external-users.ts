import { CredentialKind } from "../../../../proto/rpcs.ts";
import type { BetaPrincipal } from "../../reference/beta/keys.ts";
import { principalOf } from "../../reference/core/context.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Takes the token of a user for another's whose external id is the same to a sloppy comparison. */
const takingAlike = (isSame: (one: string, other: string) => boolean): BetaDecoration => ({
  parts: ({ authorizeUser }) => ({
    authorizeUser(context) {
      const { kind, customerUserId = "" } = principalOf(context);
      const { customer_user: users } = context.world.tables;
      const own = users.find(customerUserId)?.record.externalUserId;
      const named = users.find(context.tenant.customerUserId)?.record.externalUserId;
      const isNear = own !== undefined && named !== undefined && isSame(own, named);
      if (kind !== CredentialKind.BROWSER_TOKEN || !isNear) authorizeUser(context);
    },
  }),
});

/** A text by which two are compared. */
const by = (keyOf: (text: string) => string) => takingAlike((one, other) => keyOf(one) === keyOf(other));

/** Takes the token of a user who was deleted for that of the next one with the same external id. */
function takingTheNext(): BetaDecoration {
  const known = new Map<string, { readonly principal: BetaPrincipal; readonly externalUserId: string }>();
  return {
    parts: ({ authenticate }) => ({
      authenticate(context) {
        const { authorization = "" } = context.call.headers;
        const { customerUserId } = context.tenant;
        const { customer_user: users } = context.world.tables;
        const kept = known.get(authorization);
        const named = users.find(customerUserId)?.record.externalUserId;
        if (kept !== undefined && kept.externalUserId === named) return { ...kept.principal, customerUserId };
        const principal = authenticate(context);
        const own = users.find(principal.customerUserId ?? "")?.record.externalUserId;
        if (own !== undefined) known.set(authorization, { principal, externalUserId: own });
        return principal;
      },
    }),
  };
}

export const tokensOfLikeUsers: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.user-list": {
    "ListSessions-takes-tokens-by-external-ids-of-any-case": [
      "takes a token for every user whose external id differs from its user's in letter case alone",
      by((text) => text.toLowerCase()),
    ],
    "ListSessions-takes-tokens-by-beginnings-of-external-ids": [
      "takes a token for every user whose external id begins with its user's",
      takingAlike((own, named) => named.startsWith(own)),
    ],
    "ListSessions-takes-tokens-by-sixty-four-letters": [
      "takes a token for every user whose external id begins with the same 64 letters as its user's",
      takingAlike((own, named) => own.length > 64 && own.slice(0, 64) === named.slice(0, 64)),
    ],
    "ListSessions-takes-tokens-by-trimmed-external-ids": [
      "takes a token for every user whose external id differs from its user's in blanks alone",
      by((text) => text.trim()),
    ],
    "ListSessions-takes-tokens-of-deleted-users-for-the-next": [
      "takes a token of a user who was deleted for the next user of that external id",
      takingTheNext,
    ],
    "ListSessions-takes-tokens-by-external-ids-without-accents": [
      "takes a token for every user whose external id differs from its user's in accents alone",
      by((text) => text.normalize("NFD").replaceAll(/\p{M}/gu, "")),
    ],
  },
});
