import { expect, test } from "vitest";
import type { PackageName } from "../../proto/rpcs.ts";
import { openCase } from "./case.testing.ts";
import { deliveryFields, deliveryOf, endpointField, listDeliveriesOf } from "./delivery-record.ts";
import { createDeliveries, settledDelivery } from "./webhook-delivery.ts";
import { createEndpoint } from "./webhook-endpoint.ts";

test("each package spells a delivery in its way", async () => {
  const alpha = (await openCase("alpha.v1")).context;
  expect(deliveryFields(alpha)).toMatchObject({ about: "jobId", id: "id", list: "deliveries" });
  expect(endpointField(alpha)).toBe("endpointId");
  const beta = (await openCase("beta.v1")).context;
  expect(deliveryFields(beta)).toMatchObject({
    about: "subjectId",
    id: "webhookDeliveryId",
    list: "webhookDeliveries",
  });
  expect(endpointField(beta)).toBe("webhookEndpointId");
});

test.each<PackageName>(["alpha.v1", "beta.v1"])(
  "%s: the delivery about some work is found, with the reply that shows it",
  async (name) => {
    const { context } = await openCase(name);
    const { endpoint, work, record } = await settledDelivery(context);
    const found = await deliveryOf(context, endpoint, work);
    expect(found).toMatchObject({ record, others: 0 });
    expect(JSON.stringify(found?.reply.messages)).toContain(JSON.stringify(record));
    const other = await createEndpoint(context, "https://hook.example.test/other");
    expect((await listDeliveriesOf(context, other.endpoint)).records).toEqual([]);
    expect(await deliveryOf(context, other.endpoint, work)).toBeUndefined();
  },
);

test("of several pages the one that shows the delivery is returned", async () => {
  const { context } = await openCase("beta.v1", { decoration: { choices: { defaultPageSize: 1 } } });
  const deliveries = await createDeliveries(context, 2);
  const { within } = deliveries[0] ?? expect.fail("there is none");
  const endpoint = { ...(await context.setup.fresh("webhook_endpoint")), id: Object.values(within ?? {})[0] ?? null };
  for (const { record } of deliveries) {
    const work = { ...endpoint, id: record.subjectId ?? null };
    const found = await deliveryOf(context, endpoint, work);
    expect(JSON.stringify(found?.reply.messages)).toContain(JSON.stringify(record.webhookDeliveryId));
  }
});
