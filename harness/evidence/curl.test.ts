import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import { curlOf } from "./excerpt.ts";

test("credentials stand as the variables that the docs name", () => {
  const settings = checkTarget(
    {
      alpha: {
        baseUrl: "http://a",
        apiKeys: { all: "a" },
        secondWorkspace: { workspaceId: "01990000-0000-7000-8000-000000000002", apiKey: "b" },
      },
      beta: { baseUrl: "http://b", backendKeys: { all: "c" }, idpTokens: { permitted: "d" } },
    },
    "a test",
  );
  const named = credentialsOf(settings).map(({ label }) => {
    const request = {
      method: "POST",
      url: "http://a",
      headers: [["authorization", `Bearer <${label}>`]],
      body: new Uint8Array(),
    } as const;
    const exchange = {
      number: 1,
      rpc: undefined,
      request,
      response: undefined,
      failure: undefined,
      startedAt: 0,
      durationMs: 0,
    };
    return /Bearer \$(\w+)"/.exec(curlOf(exchange, createSecretRegistry()))?.[1];
  });
  expect(named).toEqual(["ALPHA_KEY", "ALPHA_SECOND_KEY", "BETA_KEY", "BETA_IDP_TOKEN"]);
});
