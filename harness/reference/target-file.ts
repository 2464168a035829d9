import type { AlphaReference } from "./main.ts";

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
