import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import type { WebhookEndpoint } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Who is told of a job's end are the endpoints that were enabled as it was started. */
function asOfTheStart(): AlphaDecoration {
  const told = new Map<string, readonly WebhookEndpoint[]>();
  const urls = new Map<string, string>();
  return {
    handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
      const reply = await next(context, request);
      const { world } = context;
      if (reply.job === undefined) return reply;
      const enabled = world.parts.subscribers(world, reply.job);
      told.set(idText(reply.job.id), enabled);
      for (const { id, url } of enabled) urls.set(idText(id), url);
      return reply;
    }),
    parts: ({ subscribers, destination }) => ({
      subscribers: (world, job) => [...(told.get(idText(job.id)) ?? subscribers(world, job))],
      destination(world, delivery) {
        const url = urls.get(idText(delivery.endpointId));
        return destination(world, delivery) ?? (url === undefined ? undefined : { url, secrets: [] });
      },
    }),
  };
}

export const snapshots: readonly Fault[] = faultsOf("events", "alpha.v1", {
  "*.webhooks.disabled": {
    "UpdateWebhookEndpoint-told-as-of-the-start": [
      "the end of a job is told to the endpoints that were enabled as it was started",
      asOfTheStart,
    ],
  },
});
