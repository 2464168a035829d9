import {
  ApprovalSchema,
  ArtifactSchema,
  CustomerUserGrantSchema,
  JobSchema,
  MemoryItemSchema,
  MemorySettingsSchema,
  RunSchema,
  SecretSchema,
  SessionSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { createDeliveries } from "../core/deliveries.ts";
import { idText } from "../core/fields.ts";
import { layFoundation, tablePolicy, type WorldOptions } from "../core/foundation.ts";
import { createTable } from "../core/store.ts";
import { createApps } from "./apps.ts";
import type { BetaChoices } from "./choices.ts";
import { deliveryBook } from "./events.ts";
import { issueCredentials } from "./keys.ts";
import { createLoginRequests } from "./login-requests.ts";
import type { BetaParts } from "./parts.ts";
import { createRules } from "./rules.ts";
import { type BetaWorld, ownerOf } from "./world.ts";

/** A world without customer users: apps, credentials, and login requests to complete. */
export function createBetaWorld(options: WorldOptions<BetaChoices, BetaParts>): BetaWorld {
  const foundation = layFoundation(options);
  const { choices, clock, newId, random } = foundation;
  const apps = createApps(newId);
  const credentials = issueCredentials(apps, () => random.token(32));
  const policy = tablePolicy<BetaWorld>(clock, choices, () => world);
  const job = createTable(JobSchema, policy);
  const world: BetaWorld = {
    ...foundation,
    tables: {
      approval: createTable(ApprovalSchema, policy),
      artifact: createTable(ArtifactSchema, policy, { tenantOf: ({ jobId }) => ownerOf(job.get(idText(jobId))) }),
      customer_user: createTable(CustomerUserGrantSchema, policy),
      job,
      memory_item: createTable(MemoryItemSchema, policy),
      memory_settings: createTable(MemorySettingsSchema, policy, { key: "customer_user" }),
      get oauth_login_request() {
        return loginRequests;
      },
      run: createTable(RunSchema, policy),
      secret: createTable(SecretSchema, policy),
      session: createTable(SessionSchema, policy),
      webhook_delivery: createTable(WebhookDeliverySchema, policy, {
        ownerOf: ({ webhookEndpointId }) => idText(webhookEndpointId),
      }),
      webhook_endpoint: createTable(WebhookEndpointSchema, policy),
    },
    apps,
    credentials,
    principals: credentials.principals,
    rules: createRules(choices, clock),
    lives: new Map(),
    contents: new Map(),
    links: new Map(),
    voiceTickets: new Map(),
    get deliveries() {
      return deliveries;
    },
  };
  const deliveries = createDeliveries(world, deliveryBook(world));
  const loginRequests = createLoginRequests(world, policy);
  return world;
}
