import { expect, test } from "vitest";
import { runAll } from "../../harness/runner/drive.ts";
import { planOrder } from "../../harness/runner/order.ts";
import { anyCaller } from "../../harness/servers/faults/auth/credentials.ts";
import { replacing } from "../../harness/servers/faults/steps.ts";
import {
  type EmbeddedOptions,
  judgedServices,
  onlyService,
  startEmbedded,
} from "../../harness/servers/reference/embedded.ts";
import { checkTarget } from "../../harness/target/load.ts";
import { createTarget } from "../../harness/target/target.ts";
import { rpc } from "../../proto/rpcs.ts";
import { allowed } from "./token-scopes.ts";

/** What the case finds on these services, as `clause at rpc`, and which RPCs it asked. */
async function found(services: EmbeddedOptions) {
  const reference = await startEmbedded(services);
  try {
    const target = createTarget(checkTarget(reference.file, "a test"));
    const asked: string[] = [];
    const onExchange = ({ call }: { call?: { row: { name: string } } }) => void (call && asked.push(call.row.name));
    const order = planOrder({ target: target.settings, seed: 1, runs: 1 }, [allowed]);
    const { results } = await runAll(order, [allowed], { observers: [{ onExchange }] });
    return {
      outcomes: results.map(({ outcome }) => outcome),
      findings: results.flatMap(({ findings }) =>
        findings.map(({ clause, rpc, level }) => `${level} ${clause} ${rpc}`),
      ),
      asked: asked.filter((rpc) => rpc.startsWith("alpha.")),
    };
  } finally {
    await reference.close();
  }
}

test("a browser token is sent to alpha.v1 where there is one, and refused there", async () => {
  const { findings, outcomes, asked } = await found(judgedServices);
  expect(findings).toEqual([]);
  expect(outcomes).toEqual(["held"]);
  expect(asked).toContain("alpha.v1.SecretService/ListSecrets");
});

test("it is not missed where there is none", async () => {
  expect(await found(onlyService("beta.v1"))).toEqual({ outcomes: ["held"], findings: [], asked: [] });
});

test("an alpha.v1 that takes it breaks what every call must carry", async () => {
  const row = rpc("alpha.v1.SecretService/ListSecrets");
  const decoration = replacing((parts) => ({
    authenticate: (context) =>
      context.call.headers.authorization?.startsWith("Bearer beta_") ? anyCaller(context) : parts.authenticate(context),
  }))(row);
  const { findings } = await found({ "alpha.v1": { decoration }, "beta.v1": {} });
  expect(findings).toContain("must alpha.auth.required alpha.v1.SecretService/ListSecrets");
});
