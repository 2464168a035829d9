import { CredentialKind } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { passingOnceRefused } from "./refused-once.ts";

const rows = rowsOf("beta.v1");
const kindCount = 4;

/** A kind of credential the row does not list is served as if it did, whatever its scopes. */
export const unlistedKindServed: readonly Fault[] = faultsAt(
  rows.filter((row, index) => row.credentials.length < kindCount && index % 2 === 0),
  {
    id: "auth/takes-every-kind",
    says: "serves kinds of credentials that are not its own",
    breaks: "*.auth.kinds",
    decorate: replacing((parts) => ({
      authorizeKind() {},
      authorizeScope(context) {
        const listed = context.row.credentials.includes(context.principal?.kind ?? CredentialKind.UNSPECIFIED);
        if (listed) parts.authorizeScope(context);
      },
    })),
  },
);

/** One of several listed kinds is refused. */
export const listedKindRefused: readonly Fault[] = faultsAt(
  rows.filter((row, index) => row.credentials.length > 1 && index % 2 === 1),
  {
    id: "auth/refuses-a-kind",
    says: "refuses the last of the kinds it lists",
    breaks: (row) => (row.credentials.at(-1) === CredentialKind.IDP_USER ? "*.auth.idp-user" : "*.auth.kinds"),
    decorate: replacing((parts) => ({
      authorizeKind(context) {
        if (context.principal?.kind === context.row.credentials.at(-1))
          refuse("AUTHORIZATION_DENIED", "not with this credential");
        parts.authorizeKind(context);
      },
    })),
  },
);

/** Platform permissions are asked for by the first call of an RPC alone. */
export const permissionAskedOnce: readonly Fault[] = faultsAt(
  rows.filter((row) => row.credentials.includes(CredentialKind.IDP_USER)),
  {
    id: "auth/asks-for-permission-once",
    says: "asks for no permission once a user was refused",
    breaks: "*.auth.idp-user",
    decorate: ({ name }) => ({
      parts: ({ authorizePermission }) => ({
        authorizePermission: onRpc(
          name,
          authorizePermission,
          passingOnceRefused((_context, principal) => principal.id, authorizePermission),
        ),
      }),
    }),
  },
);

/** Platform permissions are not asked for. */
export const permissionNotAsked: readonly Fault[] = faultsAt(
  rows.filter((row) => row.credentials.includes(CredentialKind.IDP_USER)),
  {
    id: "auth/asks-for-no-permission",
    says: "serves every signed-in user",
    breaks: "*.auth.idp-user",
    decorate: ({ name }) => ({
      parts: (parts) => ({ authorizePermission: onRpc(name, parts.authorizePermission, () => {}) }),
    }),
  },
);
