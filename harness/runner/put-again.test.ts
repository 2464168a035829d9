import { afterAll, beforeAll, expect, test } from "vitest";
import { WebhookService } from "../../proto/gen/alpha/v1/webhook_service_pb.js";
import { defineCase } from "../case/case.ts";
import { around } from "../servers/reference/alpha/decorate.ts";
import { refuse } from "../servers/reference/core/refusal.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";

/** How often the case ran, and up to which of these times the reference has no room for an endpoint. */
const tried = { times: 0, fullFor: 0 };

let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({
    "alpha.v1": {
      decoration: {
        handlers: around(WebhookService.method.createWebhookEndpoint, (next) => (context, request) => {
          if (tried.times <= tried.fullFor) refuse("QUOTA_EXHAUSTED", "there are too many endpoints");
          return next(context, request);
        }),
      },
    },
  });
});
afterAll(() => reference.close());

const creating = defineCase({
  id: "wire/creating",
  says: "a case of the test",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.WebhookService/CreateWebhookEndpoint",
  async run({ row, setup, call, needs, judge }) {
    // A target that has served nothing is not taken for a full one.
    needs(await call("alpha.v1.CatalogService/ListMiniApps", setup.tenant()));
    tried.times += 1;
    judge(await call(row, await setup.request(row, undefined))).satisfies(true, "", "");
  },
});

/** What the case comes to where there is no room for so many of the times that it runs. */
async function outcomeWhereFullFor(times: number) {
  Object.assign(tried, { times: 0, fullFor: times });
  const target = checkTarget({ ...reference.file, patience: { ...reference.file.patience, busyMs: 60 } }, "a test");
  const order = createOrder({ target, seed: 1, runs: 1, selection: { only: [], services: [] } }, [creating]);
  const { results } = await runAll(order, [creating]);
  return results.map(({ outcome }) => outcome);
}

test("a case that found the target full each time is put again, with values of its own, once", async () => {
  expect(await outcomeWhereFullFor(4)).toEqual(["held"]);
  expect(tried.times).toBe(5);
  expect(await outcomeWhereFullFor(100)).toEqual(["unproven"]);
  expect(tried.times).toBe(8);
});
