import type { Target } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { Attempt } from "../common/refusals.ts";

/**
 * A server-side key of the other service, where the target file names one. How keys are issued is not shown: it may be good
 * here, too.
 */
export function keyOfOtherService(row: RpcRow, { settings: { alpha, beta } }: Target): Credential | undefined {
  const token = row.package === "beta.v1" ? alpha?.apiKeys.all : beta?.backendKeys.all;
  const label = row.package === "beta.v1" ? "alpha api key" : "beta backend key";
  return token === undefined ? undefined : { label, token };
}

/** Credentials of the other service that cannot be good for a row: no token is an API key, no API key a browser token. */
function strangersTo(row: RpcRow, target: Target): readonly Credential[] {
  if (row.package === "beta.v1") {
    const key = keyOfOtherService(row, target);
    return key === undefined || row.credentials.includes(CredentialKind.BACKEND_KEY) ? [] : [key];
  }
  const { mcpTokens = [], idpTokens } = target.settings.beta ?? {};
  const tokens = [
    ["beta mcp token 0", mcpTokens[0]?.token],
    ["beta idp token", idpTokens?.permitted],
  ] as const;
  return tokens.flatMap(([label, token]) => (token === undefined ? [] : [{ label, token }]));
}

/** Attempts at a listing with what the target file names of the other service's credentials. */
export function strangeAttempts(row: RpcRow, target: Target): readonly Attempt[] {
  if (row.effect !== Effect.LIST) return [];
  return strangersTo(row, target).map((as) => ({
    because: `it carries the other service's ${as.label}`,
    options: { as },
  }));
}
