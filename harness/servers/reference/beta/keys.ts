import { CredentialKind } from "../../../../proto/rpcs.ts";
import type { Principal } from "../core/context.ts";
import { issueLimited, type Key, scopesOf } from "../core/keys.ts";
import type { App, Apps } from "./apps.ts";

/** Who calls: a core principal, and what only beta credentials have. */
export interface BetaPrincipal extends Principal {
  /** Platform permissions of an idpUser, who has no scopes. */
  readonly permissions?: ReadonlySet<string>;
  /** Where a browser token may come from; empty: from anywhere. */
  readonly origins?: readonly string[];
  /** Tools that runs of a browser token may call; empty: those of its grant. */
  readonly allowedToolIds?: readonly string[];
}

/** A signed-in user of an identity provider, as a client gets it. */
export interface IdpUser {
  readonly token: string;
  readonly permissions: readonly string[];
}

/** The credentials of a reference that no RPC issues, and whom all credentials stand for. */
export interface Credentials {
  readonly backendKeys: { readonly all: Key; readonly limited: readonly Key[] };
  /** Good for any customer user of the tenant. */
  readonly mcpTokens: readonly Key[];
  readonly idpUsers: readonly IdpUser[];
  readonly secondBackendKey: Key;
  readonly stoppedBackendKey: Key;
  /** By token; browser tokens come and go. */
  readonly principals: Map<string, BetaPrincipal>;
}

/** The platform permission behind every RPC of the WebhookService, named by whether it changes anything. */
export const webhookPermissions = { read: "webhooks.view", write: "webhooks.manage" } as const;

const prefixes = {
  [CredentialKind.BACKEND_KEY]: "bk",
  [CredentialKind.MCP_OAUTH_TOKEN]: "mo",
  [CredentialKind.IDP_USER]: "iu",
} as const;

/** Issues the standing credentials of the apps. */
export function issueCredentials(apps: Apps, newToken: () => string): Credentials {
  const principals = new Map<string, BetaPrincipal>();
  const issue = (
    kind: keyof typeof prefixes,
    { workspaceId, appId }: App,
    { scopes = [], permissions = [] }: { scopes?: readonly string[]; permissions?: readonly string[] },
  ): string => {
    const token = `beta_${prefixes[kind]}_${newToken()}`;
    principals.set(token, {
      id: `${prefixes[kind]}-${principals.size + 1}`,
      kind,
      workspaceId,
      appId,
      scopes: new Set(scopes),
      permissions: new Set(permissions),
    });
    return token;
  };
  const scopes = scopesOf("beta.v1");
  const backendKey = (app: App, scopes: readonly string[]): Key => ({
    token: issue(CredentialKind.BACKEND_KEY, app, { scopes }),
    scopes,
  });
  const mcpToken = (scopes: readonly string[]): Key => ({
    token: issue(CredentialKind.MCP_OAUTH_TOKEN, apps.main, { scopes }),
    scopes,
  });
  const idpUser = (permissions: readonly string[]): IdpUser => ({
    token: issue(CredentialKind.IDP_USER, apps.main, { permissions }),
    permissions,
  });
  return {
    backendKeys: {
      all: backendKey(apps.main, scopes),
      limited: issueLimited(scopes, (some) => backendKey(apps.main, some)),
    },
    mcpTokens: [["runs:read", "runs:write"], ["runs:read"], ["runs:write"]].map(mcpToken),
    idpUsers: [Object.values(webhookPermissions), []].map(idpUser),
    secondBackendKey: backendKey(apps.second, scopes),
    stoppedBackendKey: backendKey(apps.stopped, scopes),
    principals,
  };
}
