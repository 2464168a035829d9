import type { TargetFile } from "../../target/schema.ts";
import type { Key } from "./core/keys.ts";
import type { AlphaReference, BetaReference } from "./main.ts";

/** The target file of an embedded reference, ready for a run with nothing left out. */
export function alphaTargetFile({ baseUrl, testBaseUrl, facts }: AlphaReference) {
  return {
    name: "embedded reference",
    alpha: {
      baseUrl,
      testBaseUrl,
      workspaceId: facts.workspaceId,
      apiKeys: {
        all: facts.keys.all.token,
        limited: facts.keys.limited.map(({ token, scopes }) => ({ token, scopes: [...scopes] })),
      },
      secondWorkspace: { workspaceId: facts.secondWorkspace.workspaceId, apiKey: facts.secondWorkspace.key.token },
      miniAppIds: [...facts.miniAppIds],
      fixtureInputs: facts.fixtureInputs,
    },
    webhooks: { listen: "127.0.0.1:0" },
  };
}

/** The `beta` section of the target file of an embedded reference. */
export function betaSection({ baseUrl, facts }: BetaReference) {
  const { secondTenant, inputs } = facts;
  const [permitted, unpermitted] = facts.idpUsers;
  const copy = ({ token, scopes }: Key) => ({ token, scopes: [...scopes] });
  return {
    baseUrl,
    workspaceId: facts.workspaceId,
    appId: facts.appId,
    appVersionIds: [...facts.appVersionIds],
    toolIds: [...facts.toolIds],
    backendKeys: { all: facts.backendKeys.all.token, limited: facts.backendKeys.limited.map(copy) },
    mcpTokens: facts.mcpTokens.map(copy),
    idpTokens: { permitted: permitted?.token, unpermitted: unpermitted?.token },
    secondTenant: {
      ...secondTenant,
      toolIds: [...secondTenant.toolIds],
      backendKey: secondTenant.backendKey.token,
    },
    inputs: {
      complete: inputs.complete,
      fail: inputs.fail,
      slow: inputs.slow,
      approval: inputs.approval,
      artifact: inputs.artifact,
      memory: inputs.memory,
      unknown: inputs.unknown,
      expiring: inputs.expiring,
    },
    oauthLoginRequests: facts.oauthLoginRequests.map(({ id, resourceVersion }) => ({ id, resourceVersion })),
    browserOrigin: facts.browserOrigin,
  };
}

const singles = <T extends { readonly scopes: readonly string[] }>(keys: readonly T[] = []) =>
  keys.filter(({ scopes }) => scopes.length === 1);

/** A target file whose limited keys have one scope each. */
export function withSingleScopes({ alpha, beta, ...file }: TargetFile): TargetFile {
  return {
    ...file,
    ...(alpha !== undefined && {
      alpha: { ...alpha, apiKeys: { ...alpha.apiKeys, limited: singles(alpha.apiKeys?.limited) } },
    }),
    ...(beta !== undefined && {
      beta: { ...beta, backendKeys: { ...beta.backendKeys, limited: singles(beta.backendKeys?.limited) } },
    }),
  };
}
