import { expect, test } from "vitest";
import { runAll } from "../../../harness/runner/drive.ts";
import { createOrder } from "../../../harness/runner/order.ts";
import { startEmbedded } from "../../../harness/servers/reference/embedded.ts";
import { checkTarget } from "../../../harness/target/load.ts";
import { Effect } from "../../../proto/rpcs.ts";
import { consistent } from "./consistency.ts";
import { accepted } from "./shown-versions.ts";

test("what a listing without an end does not show is not looked for until patience ends", async () => {
  const list = "alpha.v1.WebhookService/ListWebhookEndpoints";
  const reference = await startEmbedded({
    "alpha.v1": {
      decoration: {
        request: (json) => (json.page === undefined ? json : { ...json, page: {} }),
        reply: (json, { row }) => (row.effect === Effect.LIST ? { page: { nextCursor: "again" } } : json),
      },
    },
  });
  let listed = 0;
  try {
    const cases = [consistent, accepted];
    const target = checkTarget({ ...reference.file, patience: { settleMs: 3000 } }, "a test");
    const order = createOrder({ target, seed: 1, runs: 1, selection: { only: [`*@${list}`], services: [] } }, cases);
    const { results } = await runAll(order, cases, {
      observers: [
        {
          onExchange({ by, exchange }) {
            if (exchange.rpc === list && by.startsWith("lifecycle/") && !by.endsWith(" at once")) listed += 1;
          },
        },
      ],
    });
    // That a listing ends is a should.
    expect(results.map(({ outcome, findings }) => `${outcome} ${findings.length}`).toSorted()).toEqual([
      "held 1",
      "unproven 0",
    ]);
  } finally {
    await reference.close();
  }
  // A traversal each, in either tenant, of a hundred pages of nothing; what else is asked is one page.
  expect(listed).toBeLessThan(400);
});
