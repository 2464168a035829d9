import { type PackageName, rpcs } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";

/** Keys nobody issued: for each scope of a package one that has it alone, and one that has all others. */
function limitedKeys(packageName: PackageName) {
  const scopes = [...new Set(rpcs.filter((row) => row.package === packageName).map((row) => row.scope))];
  return scopes.flatMap((scope, index) => [
    { token: `hallmark-made-up-${packageName}-key-with-${index}`, scopes: [scope] },
    { token: `hallmark-made-up-${packageName}-key-without-${index}`, scopes: scopes.filter((one) => one !== scope) },
  ]);
}

const madeUpId = (last: string) => `01890a5d-ac96-774b-bcce-b302099a${last}`;

/** A complete target file for a server that knows nothing of it, with little patience. */
export function degenerateTargetFile(origin: string): TargetFile {
  return {
    name: "a degenerate servers",
    alpha: {
      baseUrl: origin,
      testBaseUrl: origin,
      workspaceId: madeUpId("8057"),
      apiKeys: {
        all: "hallmark-made-up-key-all",
        limited: limitedKeys("alpha.v1"),
      },
      secondWorkspace: {
        workspaceId: madeUpId("8058"),
        apiKey: "hallmark-made-up-key-of-the-other",
      },
      miniAppIds: ["made-up-app"],
      fixtureInputs: {
        succeed: "succeed",
        fail: "fail",
        slow: "slow",
        artifacts: "artifacts",
        retry: "retry",
        stream: "stream",
      },
    },
    beta: {
      baseUrl: origin,
      workspaceId: madeUpId("8061"),
      appId: madeUpId("8062"),
      appVersionIds: [madeUpId("8063"), madeUpId("8064")],
      toolIds: [madeUpId("8065")],
      backendKeys: { all: "hallmark-made-up-backend-key-all", limited: limitedKeys("beta.v1") },
      mcpTokens: [
        { token: "hallmark-made-up-mcp-token", scopes: ["runs:read", "runs:write"] },
        { token: "hallmark-made-up-mcp-token-reading", scopes: ["runs:read"] },
        { token: "hallmark-made-up-mcp-token-writing", scopes: ["runs:write"] },
      ],
      idpTokens: { permitted: "hallmark-made-up-user", unpermitted: "hallmark-made-up-guest" },
      secondTenant: {
        workspaceId: madeUpId("8066"),
        appId: madeUpId("8067"),
        appVersionId: madeUpId("8068"),
        backendKey: "hallmark-made-up-backend-key-of-the-other",
      },
      inputs: {
        complete: "complete",
        fail: "fail",
        slow: "slow",
        approval: "approval",
        artifact: "artifact",
        memory: "memory",
        unknown: "unknown",
      },
      oauthLoginRequests: Array.from({ length: 60 }, (_, index) => ({ id: madeUpId(`${9000 + index}`) })),
      browserOrigin: "https://app.example.com:443",
    },
    webhooks: { listen: "127.0.0.1:0" },
    patience: {
      connectMs: 300,
      replyMs: 300,
      settleMs: 200,
      deliveryMs: 200,
      quietMs: 20,
      busyMs: 200,
      caseMs: 4000,
    },
    limits: { maxBodyBytes: 256 * 1024 },
  };
}
