import { CredentialKind, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, principalOf } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { credentialFaults } from "../auth/credentials.ts";
import { replacing } from "../steps.ts";
import { applyOperator, type Site } from "./operator.ts";
import { without } from "./sites.ts";

const isUser = (context: Context) => principalOf(context).kind === CredentialKind.IDP_USER;

/** Judges the scopes of callers by a rule of its own; of an idpUser as before, who has none. */
const asking = (row: RpcRow, suffices: (scopes: readonly string[], context: Context) => boolean) =>
  replacing((parts) => ({
    authorizeScope(context) {
      if (isUser(context)) parts.authorizeScope(context);
      else if (!suffices([...principalOf(context).scopes], context)) {
        refuse("AUTHORIZATION_DENIED", "a scope is missing");
      }
    },
  }))(row);

/** The scopes of a package. */
function scopesOf(packageName: string): readonly string[] {
  return [...new Set(rpcs.filter((row) => row.package === packageName).map((row) => row.scope))].sort();
}

/** The scope a row is confused with: the next one of its package. */
function otherScope({ package: name, scope }: RpcRow): string {
  const scopes = scopesOf(name);
  return scopes[(scopes.indexOf(scope) + 1) % scopes.length] ?? "";
}

const areaOf = (scope: string) => scope.slice(0, scope.lastIndexOf(":") + 1);
const verbOf = (scope: string) => scope.slice(scope.lastIndexOf(":"));
const shared = (part: (scope: string) => string) => (row: RpcRow) =>
  scopesOf(row.package).some((scope) => scope !== row.scope && part(scope) === part(row.scope));

export const anyScope = applyOperator({
  name: "scope-unasked",
  area: "auth",
  says: () => "serves keys without its scope",
  breaks: "*.auth.scope",
  sites: rpcs.filter(without(credentialFaults, "-scope-not-asked")).map((row) => ({ row })),
  plant: ({ row }) => asking(row, () => true),
});

export const anotherScope = applyOperator({
  name: "scope-of-another",
  area: "auth",
  says: ({ row }) => `asks for ${otherScope(row)} in place of its own scope`,
  breaks: "*.auth.scope",
  sites: rpcs.map((row) => ({ row })),
  plant: ({ row }) => asking(row, (scopes) => scopes.includes(otherScope(row))),
});

export const anyOfArea = applyOperator({
  name: "scope-of-area",
  area: "auth",
  says: ({ row }) => `is content with any scope of ${areaOf(row.scope)}*`,
  breaks: "*.auth.scope",
  sites: rpcs.filter(shared(areaOf)).map((row) => ({ row })),
  plant: ({ row }) => asking(row, (scopes) => scopes.some((scope) => areaOf(scope) === areaOf(row.scope))),
});

export const anyOfVerb = applyOperator({
  name: "scope-of-verb",
  area: "auth",
  says: ({ row }) => `is content with any scope of *${verbOf(row.scope)}`,
  breaks: "*.auth.scope",
  sites: rpcs.filter(shared(verbOf)).map((row) => ({ row })),
  plant: ({ row }) => asking(row, (scopes) => scopes.some((scope) => verbOf(scope) === verbOf(row.scope))),
});

interface KindSite extends Site {
  readonly kind: CredentialKind;
}

/** Of one of several kinds no scope is asked. Of an idpUser none ever is. */
export const anyScopeOfKind = applyOperator({
  name: "scope-unasked-of",
  area: "auth",
  says: ({ kind }) => `asks for no scope of credentials of kind ${CredentialKind[kind]}`,
  breaks: "*.auth.scope",
  sites: rpcs
    .filter((row) => row.credentials.length > 1)
    .flatMap((row) =>
      row.credentials
        .filter((kind) => kind !== CredentialKind.IDP_USER)
        .map((kind): KindSite => ({ row, kind, which: CredentialKind[kind] })),
    ),
  plant: ({ row, kind }) =>
    asking(row, (scopes, context) => principalOf(context).kind === kind || scopes.includes(row.scope)),
});
