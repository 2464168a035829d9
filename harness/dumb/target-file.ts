import { rpcs } from "../../proto/rpcs.ts";
import type { TargetFile } from "../target/schema.ts";

const scopes = [...new Set(rpcs.filter((row) => row.package === "alpha.v1").map((row) => row.scope))];

/** A complete target file for a server that knows nothing of it, with little patience. */
export function dumbTargetFile(origin: string): TargetFile {
  return {
    name: "a dumb target",
    alpha: {
      baseUrl: origin,
      testBaseUrl: origin,
      workspaceId: "01890a5d-ac96-774b-bcce-b302099a8057",
      apiKeys: {
        all: "hallmark-made-up-key-all",
        limited: [
          ...scopes.map((scope, index) => ({ token: `hallmark-made-up-key-with-${index}`, scopes: [scope] })),
          ...scopes.map((scope, index) => ({
            token: `hallmark-made-up-key-without-${index}`,
            scopes: scopes.filter((other) => other !== scope),
          })),
        ],
      },
      secondWorkspace: {
        workspaceId: "01890a5d-ac96-7ab2-80e2-4536d2ad1f47",
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
