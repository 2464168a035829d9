import { CredentialKind, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { isolationClause } from "../isolation/tenants.ts";
import { ofSecondTenant } from "../second-tenant.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Nobody has a login request of a second tenant to complete. */
const rows = rpcs.filter((row) => row.subject !== "oauth_login_request");
const takes = (row: RpcRow, kind: CredentialKind) => row.credentials.includes(kind);
const takesKey = (row: RpcRow) => takes(row, CredentialKind.API_KEY) || takes(row, CredentialKind.BACKEND_KEY);
const takesToken = (row: RpcRow) => takes(row, CredentialKind.BROWSER_TOKEN);

/** Who calls is asked in the first tenant only: else whoever calls is the owner, who has a server-side key. */
export const anonymousInTheSecond: readonly Fault[] = faultsAt(rows.filter(takesKey), {
  id: "auth/needs-no-credential-in-the-second-tenant",
  says: "serves calls without a credential that name one of two tenants",
  breaks: "*.auth.required",
  decorate: replacing((parts) => ({
    authenticate(context) {
      const [first, ...others] = context.world.principals.values();
      const owner = others.find(({ workspaceId }) => workspaceId === context.workspaceId);
      const isElsewhere = first?.workspaceId !== context.workspaceId;
      const isAnonymous = context.call.headers.authorization === undefined;
      return isAnonymous && isElsewhere && owner !== undefined ? owner : parts.authenticate(context);
    },
  })),
});

/** Kinds are looked at in the first tenant only. */
export const everyKindInTheSecond: readonly Fault[] = faultsAt(
  rows.filter((row) => row.package === "beta.v1" && !(takesToken(row) && takes(row, CredentialKind.BACKEND_KEY))),
  {
    id: "auth/takes-every-kind-in-the-second-tenant",
    says: "serves kinds of credentials that are not its own for one of two tenants",
    breaks: "*.auth.kinds",
    decorate: replacing((parts) => ({
      authorizeKind: (context) => (ofSecondTenant(context) ? undefined : parts.authorizeKind(context)),
    })),
  },
);

/** The scopes of browser tokens are looked at in the first tenant only. */
export const everyScopeInTheSecond: readonly Fault[] = faultsAt(rows.filter(takesToken), {
  id: "auth/asks-for-no-scope-in-the-second-tenant",
  says: "serves browser tokens of one of two tenants whatever their scopes",
  breaks: "*.auth.scope",
  decorate: replacing((parts) => ({
    authorizeScope(context) {
      const isToken = principalOf(context).kind === CredentialKind.BROWSER_TOKEN;
      if (!isToken || !ofSecondTenant(context)) parts.authorizeScope(context);
    },
  })),
});

/** Whose token it is, is looked at in the first tenant only. */
export const everyUserInTheSecond: readonly Fault[] = faultsAt(
  rows.filter((row) => takesToken(row) && row.ids.some(({ facts }) => facts.names === "customer_user")),
  {
    id: "isolation/takes-every-users-token-in-the-second-tenant",
    says: "serves the token of any customer user of one of two tenants",
    breaks: (row) => isolationClause(row, "user-"),
    decorate: replacing((parts) => ({
      authorizeUser: (context) => (ofSecondTenant(context) ? undefined : parts.authorizeUser(context)),
    })),
  },
);
