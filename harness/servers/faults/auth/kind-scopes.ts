import { CredentialKind, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { withSingleScopes } from "../../reference/target-file.ts";
import { defineFault, type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Whatever holds the scope is served, of whichever kind it is. */
export const scopeSuffices: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter((row) => !row.credentials.includes(CredentialKind.BROWSER_TOKEN)),
  {
    id: "auth/goes-by-the-scope-alone",
    says: "serves every credential that holds its scope, of whichever kind",
    breaks: "*.auth.kinds",
    decorate: replacing(() => ({ authorizeKind() {} })),
  },
);

/** The kinds with scopes that a row takes, but the first. */
const otherKinds = ({ credentials }: RpcRow) => credentials.slice(1).filter((kind) => kind !== CredentialKind.IDP_USER);

/** Of credentials of one kind another scope is asked beside the row's. */
export const moreAskedOfKind: readonly Fault[] = rowsOf("beta.v1").flatMap((row) =>
  otherKinds(row).flatMap((kind) =>
    faultsAt([row], {
      id: `auth/asks-more-of-${CredentialKind[kind].toLowerCase().replaceAll("_", "-")}s`,
      says: `asks for a scope beyond its own of credentials of kind ${CredentialKind[kind]}`,
      breaks: "*.auth.scope",
      decorate: replacing((parts) => ({
        authorizeScope(context) {
          const { kind: own, scopes } = principalOf(context);
          if (own === kind && scopes.size < 2) refuse("AUTHORIZATION_DENIED", "another scope is required too");
          parts.authorizeScope(context);
        },
      })),
    }),
  ),
);

const areaOf = (scope: string) => scope.slice(0, scope.lastIndexOf(":"));
const verbOf = (scope: string) => scope.slice(scope.lastIndexOf(":"));
const takesKeys = ({ credentials }: RpcRow) =>
  credentials.includes(CredentialKind.API_KEY) || credentials.includes(CredentialKind.BACKEND_KEY);

/** Whether another scope of the package has the same part. */
const isShared = (row: RpcRow, part: (scope: string) => string) =>
  row.peers.some(({ scope }) => scope !== row.scope && part(scope) === part(row.scope));

/** A sibling of the scope suffices, and the target file has keys of one scope each only. */
const siblingFaults = (what: "area" | "verb", part: (scope: string) => string) =>
  rpcs
    .filter((row) => takesKeys(row) && isShared(row, part))
    // One row of each scope.
    .filter(
      (row, index, rows) =>
        rows.findIndex(({ scope, package: of }) => scope === row.scope && of === row.package) === index,
    )
    .map((row) =>
      defineFault<string>({
        id: `auth/${row.method}-any-scope-of-its-${what}`,
        says: `${row.method} is content with any scope of its ${what}, as keys of one scope each show`,
        breaks: "*.auth.scope",
        rpc: row.name,
        decoration: replacing((parts) => ({
          authorizeScope(context) {
            const { scopes, kind } = principalOf(context);
            const isSibling = [...scopes].some((scope) => part(scope) === part(row.scope));
            if (!isSibling || kind === CredentialKind.IDP_USER) parts.authorizeScope(context);
          },
        }))(row),
        target: withSingleScopes,
      }),
    );

export const siblings: readonly Fault[] = [...siblingFaults("area", areaOf), ...siblingFaults("verb", verbOf)];
