import { CredentialKind, type RpcRow } from "../../../proto/rpcs.ts";
import type { OtherUser } from "../../case/setup.ts";
import { needed, type Target } from "../../target/target.ts";
import type { Credential } from "../../wire/request.ts";
import { keysWithoutScope, keyWithoutScope, keyWithScope } from "../limited-key.ts";
import type { Credentials, Place } from "../package.ts";
import { mintToken, sharedToken } from "./browser-token.ts";
import { browserScopes, grantUser } from "./customer-user.ts";

/** True for rows that a backend key may call. */
function takesKey(row: RpcRow): boolean {
  return row.credentials.includes(CredentialKind.BACKEND_KEY);
}

const scopesBut = ({ scope }: RpcRow) => browserScopes.filter((one) => one !== scope);

/** The MCP OAuth token at a place in the target file. Throws NotExercised where there is none. */
function mcpToken({ beta }: Target, place: number, why: string): Credential {
  return { label: `beta mcp token ${place}`, token: needed(beta.mcpTokens[place], "beta.mcpTokens", why).token };
}

/** A token of a kind with a row's scope; where the row takes none, any will do to be refused. */
function mcpTokenFor(target: Target, { scope }: RpcRow): Credential {
  const place = target.beta.mcpTokens.findIndex(({ scopes }) => scopes.includes(scope));
  return mcpToken(target, Math.max(place, 0), "an MCP OAuth token");
}

/** A token with a row's scope, and no other where there is one of that kind. */
function mcpTokenWith(target: Target, { scope }: RpcRow): Credential {
  const fitting = [...target.beta.mcpTokens.entries()].filter(([, { scopes }]) => scopes.includes(scope));
  const [narrowest] = fitting.toSorted(([, a], [, b]) => a.scopes.length - b.scopes.length);
  return mcpToken(target, narrowest?.[0] ?? -1, `an MCP OAuth token with ${scope}`);
}

function mcpTokenWithout(target: Target, { scope }: RpcRow): Credential {
  const place = target.beta.mcpTokens.findIndex(({ scopes }) => !scopes.includes(scope));
  return mcpToken(target, place, `an MCP OAuth token without ${scope}`);
}

function idpToken({ beta }: Target): Credential {
  const { permitted } = beta.idpTokens;
  const why = "a user of an identity provider";
  return { label: "beta idp token", token: needed(permitted, "beta.idpTokens.permitted", why) };
}

/** Another customer user of a place's tenant; made once in the run, and its token. */
async function otherUser({ context: { run, shared }, tenant }: Place): Promise<OtherUser> {
  const { label } = tenant();
  const user = await run.once(`beta ${label} other user`, () => shared((outer) => grantUser(outer)));
  return {
    fields: { customerUserId: user.id },
    token: () =>
      run.once(`beta ${label} other user token`, () =>
        run.renewals.issue(() => shared((outer) => mintToken(outer, label, user))),
      ),
  };
}

/** The credentials of beta.v1: backend keys, browser tokens, MCP OAuth tokens and those of identity providers' users. */
export function credentials(place: Place): Credentials {
  const { context, tenant } = place;
  const { run, target } = context;
  const limited = () => ({
    keys: target.beta.backendKeys.limited,
    label: "beta limited key",
    path: "beta.backendKeys.limited",
  });
  return {
    async credential(row) {
      const { key } = tenant();
      return takesKey(row) ? key : sharedToken(place);
    },
    keyWithScope: async (row) => (takesKey(row) ? keyWithScope(limited(), row.scope) : sharedToken(place, [row.scope])),
    keyWithoutScope: async (row) =>
      takesKey(row) ? keyWithoutScope(limited(), row.scope) : sharedToken(place, scopesBut(row)),
    keysWithoutScope: async (row) =>
      takesKey(row) ? keysWithoutScope(limited(), row.scope) : [await sharedToken(place, scopesBut(row))],
    async credentialOfKind(kind, row, subject) {
      if (kind === CredentialKind.BROWSER_TOKEN) return sharedToken(place, browserScopes, subject);
      if (kind === CredentialKind.MCP_OAUTH_TOKEN) return mcpTokenFor(target, row);
      return kind === CredentialKind.IDP_USER ? idpToken(target) : run.fullKey("beta.v1");
    },
    async credentialOfKindWithScope(kind, row, subject) {
      if (kind === CredentialKind.BROWSER_TOKEN) return sharedToken(place, [row.scope], subject);
      return kind === CredentialKind.MCP_OAUTH_TOKEN ? mcpTokenWith(target, row) : keyWithScope(limited(), row.scope);
    },
    async credentialOfKindWithoutScope(kind, row, subject) {
      if (kind === CredentialKind.BROWSER_TOKEN) return sharedToken(place, scopesBut(row), subject);
      return kind === CredentialKind.MCP_OAUTH_TOKEN
        ? mcpTokenWithout(target, row)
        : keyWithoutScope(limited(), row.scope);
    },
    unpermittedUser: () => ({
      label: "beta unpermitted idp token",
      token: needed(target.beta.idpTokens.unpermitted, "beta.idpTokens.unpermitted", "a user without the permission"),
    }),
    otherUser: () => otherUser(place),
  };
}
