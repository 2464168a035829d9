import { rpcs } from "../../../../proto/rpcs.ts";
import { lateRefusals, showsEffect } from "../auth/credentials.ts";
import { isolationClause, ofUsers, usersToo } from "../isolation/tenants.ts";
import { type Guard, late, lateAuthentication, tenantGuards } from "../late-checks.ts";
import { applyOperator, type Site } from "./operator.ts";
import { changes, without } from "./sites.ts";

/** Streams change nothing, a synchronous fixture leaves nothing behind, and what an asynchronous one starts has no name. */
const seen = rpcs.filter((row) => changes(row) && !row.stream && !row.fixture && showsEffect(row));

export const unknownCallers = applyOperator({
  name: "acts-for-nobody",
  area: "auth",
  says: () => "refuses a call without a credential after having acted",
  breaks: "*.auth.required",
  sites: seen.map((row) => ({ row })),
  plant: ({ row }) => lateAuthentication(row),
});

export const unscopedCallers = applyOperator({
  name: "acts-without-scope",
  area: "auth",
  says: () => "refuses a key without its scope after having acted",
  breaks: "*.auth.scope",
  sites: seen.filter(without(lateRefusals, "-acts-before-it-refuses")).map((row) => ({ row })),
  plant: ({ row }) => late(["authorizeScope"])(row),
});

/** Where every kind is listed there is none to refuse. */
const kindCount = 4;

export const otherKinds = applyOperator({
  name: "acts-for-another-kind",
  area: "auth",
  says: () => "refuses another kind of credential after having acted",
  breaks: "*.auth.kinds",
  // A credential of another kind mostly lacks the scope as well, so that this is asked as late.
  entails: ["*.auth.scope"],
  sites: seen.filter((row) => row.package === "beta.v1" && row.credentials.length < kindCount).map((row) => ({ row })),
  plant: ({ row }) => late(["authorizeKind", "authorizeScope"])(row),
});

interface TenantSite extends Site {
  readonly guards: readonly Guard[];
  readonly clause: string;
}

export const otherTenants = applyOperator({
  name: "acts-for-another-tenant",
  area: "isolation",
  says: ({ which }) => `refuses another ${which}'s credential after having acted`,
  breaks: ({ clause }) => clause,
  // Whoever's workspace is not looked at in time, neither is whose user it is.
  entails: ({ row }) => usersToo(row),
  sites: seen.flatMap((row): TenantSite[] => [
    { row, which: "workspace", guards: tenantGuards, clause: isolationClause(row) },
    ...(ofUsers(row)
      ? [{ row, which: "user", guards: ["authorizeUser"] as const, clause: isolationClause(row, "user-") }]
      : []),
  ]),
  plant: ({ row, guards }) => late(guards)(row),
});
