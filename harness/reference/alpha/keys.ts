import { CredentialKind, rpcs } from "../../../proto/rpcs.ts";
import type { Principal } from "../core/context.ts";

/** A key as a client gets it. */
export interface ApiKey {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** The keys of a reference, and whom they stand for. */
export interface Keys {
  readonly workspaceId: string;
  readonly all: ApiKey;
  /** For each scope a key with it alone, and one with all others. */
  readonly limited: readonly ApiKey[];
  readonly secondWorkspace: { readonly workspaceId: string; readonly key: ApiKey };
  readonly principals: ReadonlyMap<string, Principal>;
}

/** Every scope the rows of alpha.v1 name. */
export const alphaScopes: readonly string[] = [
  ...new Set(rpcs.filter((row) => row.package === "alpha.v1").map((row) => row.scope)),
].sort();

/** Issues the keys of two workspaces. */
export function issueKeys(newId: () => string, newToken: () => string): Keys {
  const principals = new Map<string, Principal>();
  const issue = (workspaceId: string, scopes: readonly string[]): ApiKey => {
    const token = `alpha_${newToken()}`;
    const id = `key-${principals.size + 1}`;
    principals.set(token, { id, kind: CredentialKind.API_KEY, workspaceId, scopes: new Set(scopes) });
    return { token, scopes };
  };
  const workspaceId = newId();
  const otherWorkspaceId = newId();
  return {
    workspaceId,
    all: issue(workspaceId, alphaScopes),
    limited: alphaScopes.flatMap((scope) => [
      issue(workspaceId, [scope]),
      issue(
        workspaceId,
        alphaScopes.filter((other) => other !== scope),
      ),
    ]),
    secondWorkspace: { workspaceId: otherWorkspaceId, key: issue(otherWorkspaceId, alphaScopes) },
    principals,
  };
}
