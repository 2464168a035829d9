import {
  ArtifactSchema,
  JobSchema,
  SecretSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { createDeliveries } from "../core/deliveries.ts";
import { idText } from "../core/fields.ts";
import { layFoundation, tablePolicy, type WorldOptions } from "../core/foundation.ts";
import { createTable } from "../core/store.ts";
import type { AlphaChoices } from "./choices.ts";
import { deliveryBook } from "./events.ts";
import { issueKeys } from "./keys.ts";
import { createMiniApps } from "./mini-apps.ts";
import type { AlphaParts } from "./parts.ts";
import { createRules } from "./rules.ts";
import type { AlphaWorld } from "./world.ts";

/** An empty world: catalog and credentials, no records. */
export function createAlphaWorld(options: WorldOptions<AlphaChoices, AlphaParts>): AlphaWorld {
  const foundation = layFoundation(options);
  const { choices, parts, clock, newId, random } = foundation;
  const keys = issueKeys(newId, () => random.token(32));
  const policy = tablePolicy<AlphaWorld>(clock, choices, () => world);
  const world: AlphaWorld = {
    ...foundation,
    tables: {
      artifact: createTable(ArtifactSchema, policy, { settle: (artifact) => parts.expire(world, artifact) }),
      job: createTable(JobSchema, policy),
      secret: createTable(SecretSchema, policy),
      webhook_endpoint: createTable(WebhookEndpointSchema, policy),
      webhook_delivery: createTable(WebhookDeliverySchema, policy, { ownerOf: ({ endpointId }) => idText(endpointId) }),
    },
    keys,
    principals: keys.principals,
    rules: createRules(choices),
    miniApps: createMiniApps(choices.versionStart),
    contents: new Map(),
    tickets: new Map(),
    get deliveries() {
      return deliveries;
    },
  };
  const deliveries = createDeliveries(world, deliveryBook(world));
  return world;
}
