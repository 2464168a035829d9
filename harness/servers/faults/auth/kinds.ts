import type { JsonObject } from "@bufbuild/protobuf";
import { CredentialKind, rpcs } from "../../../../proto/rpcs.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { BetaContext } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const rows = rpcs.filter((row) => row.package === "beta.v1");
const kindCount = 4;

/** A kind of credential the row does not list is served as if it did, scopes and all. */
export const openKinds: readonly Fault[] = rows
  .filter((row, index) => row.credentials.length < kindCount && index % 2 === 0)
  .map((row) =>
    defineBetaFault({
      id: `auth/beta-${row.service}-${row.method}-takes-every-kind`,
      says: `${row.method} serves kinds of credentials that are not its own`,
      breaks: "beta.auth.kinds",
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          authorizeKind: onRpc(row.name, parts.authorizeKind, () => {}),
          authorizeScope: onRpc(row.name, parts.authorizeScope, (context: BetaContext) => {
            if (row.credentials.includes(context.principal?.kind ?? CredentialKind.UNSPECIFIED))
              parts.authorizeScope(context);
          }),
        }),
      },
    }),
  );

/** One of several listed kinds is refused. */
export const closedKinds: readonly Fault[] = rows
  .filter((row, index) => row.credentials.length > 1 && index % 2 === 1)
  .map((row) => {
    const kind = row.credentials.at(-1);
    const byUser = kind === CredentialKind.IDP_USER;
    return defineBetaFault({
      id: `auth/beta-${row.service}-${row.method}-refuses-a-kind`,
      says: `${row.method} refuses the last of the kinds it lists`,
      breaks: byUser ? "beta.auth.idp-user" : "beta.auth.kinds",
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          authorizeKind: onRpc(row.name, parts.authorizeKind, (context: BetaContext) => {
            if (context.principal?.kind === kind) refuse("AUTHORIZATION_DENIED", "not with this credential");
            parts.authorizeKind(context);
          }),
        }),
      },
    });
  });

/** Platform permissions are not asked for. */
export const anyUser: readonly Fault[] = rows
  .filter((row) => row.credentials.includes(CredentialKind.IDP_USER))
  .map((row) =>
    defineBetaFault({
      id: `auth/beta-${row.method}-asks-for-no-permission`,
      says: `${row.method} serves every signed-in user`,
      breaks: "beta.auth.idp-user",
      rpc: row.name,
      decoration: {
        parts: (parts) => ({ authorizePermission: onRpc(row.name, parts.authorizePermission, () => {}) }),
      },
    }),
  );

const named = (method: string) => rows.find((row) => row.method === method)?.name ?? "";

export const otherAuthFaults: readonly Fault[] = [
  ...["IssueBrowserToken", "GetMemorySettings"].map((method) =>
    defineBetaFault({
      id: `auth/beta-${method}-wrong-reason`,
      says: `${method} refuses a missing credential for another reason`,
      breaks: "beta.auth.reasons",
      rpc: named(method),
      decoration: {
        parts: (parts) => ({
          authenticate: onRpc(named(method), parts.authenticate, (context: BetaContext) => {
            if (context.call.headers.authorization === undefined) refuse("SPEC_INVALID", "something is missing");
            return parts.authenticate(context);
          }),
        }),
      },
    }),
  ),
  ...["ListSessions", "RevokeCustomerUserGrant", "GetRun"].map((method) =>
    defineBetaFault({
      id: `auth/beta-${method}-repeats-the-credential`,
      says: `${method} repeats the credential it refuses`,
      breaks: "beta.auth.no-echo",
      rpc: named(method),
      decoration: {
        error: forRpc(named(method), (error: JsonObject, call) => ({
          ...error,
          message: `not allowed: ${call.headers.authorization}`,
        })),
      },
    }),
  ),
];
