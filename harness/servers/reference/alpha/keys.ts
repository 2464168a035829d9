import { CredentialKind } from "../../../../proto/rpcs.ts";
import type { Principal } from "../core/context.ts";
import { issueLimited, type Key, scopesOf } from "../core/keys.ts";

export type { Key as ApiKey } from "../core/keys.ts";

/** The keys of a reference, and whom they stand for. */
export interface Keys {
  readonly workspaceId: string;
  readonly all: Key;
  /** For each scope a key with it alone, and one with all others. */
  readonly limited: readonly Key[];
  readonly secondWorkspace: { readonly workspaceId: string; readonly key: Key };
  readonly principals: ReadonlyMap<string, Principal>;
}

/** Issues the keys of two workspaces. */
export function issueKeys(newId: () => string, newToken: () => string): Keys {
  const alphaScopes = scopesOf("alpha.v1");
  const principals = new Map<string, Principal>();
  const issue = (workspaceId: string, scopes: readonly string[]): Key => {
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
    limited: issueLimited(alphaScopes, (scopes) => issue(workspaceId, scopes)),
    secondWorkspace: { workspaceId: otherWorkspaceId, key: issue(otherWorkspaceId, alphaScopes) },
    principals,
  };
}
