import { expect, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import type { Header } from "../wire/exchange.ts";
import { curlOf } from "./excerpt.ts";

/** An exchange that came to nothing, by its request. */
const exchangeOf = (url: string, headers: readonly Header[]) =>
  ({
    number: 1,
    rpc: undefined,
    request: { method: "POST", url, headers, body: new Uint8Array() },
    response: undefined,
    failure: undefined,
    startedAt: 0,
    durationMs: 0,
  }) as const;

test("a path with dots is sent as it is written", () => {
  const commandOf = (url: string) => curlOf(exchangeOf(url, []), createSecretRegistry());
  expect(commandOf("http://a/./x")).toContain("--path-as-is");
  expect(commandOf("http://a/x")).not.toContain("--path-as-is");
});

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
    const exchange = exchangeOf("http://a", [["authorization", `Bearer <${label}>`]]);
    return /Bearer \$(\w+)"/.exec(curlOf(exchange, createSecretRegistry()))?.[1];
  });
  expect(named).toEqual(["ALPHA_KEY", "ALPHA_SECOND_KEY", "BETA_KEY", "BETA_IDP_TOKEN"]);
});
