import {
  type Approval,
  ApprovalSchema,
  type Artifact,
  ArtifactSchema,
  type CustomerUserGrant,
  CustomerUserGrantSchema,
  type Job,
  JobSchema,
  type MemoryItem,
  MemoryItemSchema,
  type MemorySettings,
  MemorySettingsSchema,
  type Run,
  RunSchema,
  type Secret,
  SecretSchema,
  type Session,
  SessionSchema,
  type UUIDv7,
  type WebhookDelivery,
  WebhookDeliverySchema,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Context, Tenant, World } from "../core/context.ts";
import type { Decoration } from "../core/decoration.ts";
import { createDeliveries, type Deliveries } from "../core/deliveries.ts";
import { idText } from "../core/fields.ts";
import { type Keeping, layFoundation, tablePolicy, type WorldOptions } from "../core/foundation.ts";
import { createTable, type Table } from "../core/store.ts";
import { type Apps, createApps } from "./apps.ts";
import type { BetaChoices } from "./choices.ts";
import { deliveryBook } from "./events.ts";
import { type BetaPrincipal, type Credentials, issueCredentials } from "./keys.ts";
import type { RunLife } from "./life.ts";
import { createLoginRequests, type LoginRequest } from "./login-requests.ts";
import type { BetaParts } from "./parts.ts";
import { createRules } from "./rules.ts";
import type { VoiceTicket } from "./voice.ts";

/** All that a running beta reference holds. */
export interface BetaWorld extends World, Keeping {
  readonly choices: BetaChoices;
  readonly parts: BetaParts;
  readonly tables: {
    readonly approval: Table<Approval>;
    readonly artifact: Table<Artifact>;
    readonly customer_user: Table<CustomerUserGrant>;
    readonly job: Table<Job>;
    readonly memory_item: Table<MemoryItem>;
    /** By customer user. */
    readonly memory_settings: Table<MemorySettings>;
    readonly oauth_login_request: Table<LoginRequest>;
    readonly run: Table<Run>;
    readonly secret: Table<Secret>;
    readonly session: Table<Session>;
    readonly webhook_delivery: Table<WebhookDelivery>;
    readonly webhook_endpoint: Table<WebhookEndpoint>;
  };
  readonly apps: Apps;
  readonly credentials: Credentials;
  readonly principals: Map<string, BetaPrincipal>;
  /** What runs are beside their records, by run id. */
  readonly lives: Map<string, RunLife>;
  /** Bytes of artifacts, by id. */
  readonly contents: Map<string, Uint8Array>;
  /** Hosted approval pages, by the token of their link. */
  readonly links: Map<string, HostedLink>;
  /** Voice tickets not used yet. */
  readonly voiceTickets: Map<string, VoiceTicket>;
  readonly deliveries: Deliveries;
}

/** What a hosted approval link shows. */
export interface HostedLink {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export type BetaContext = Context<BetaWorld>;

export type BetaDecoration = Decoration<BetaWorld, BetaChoices, BetaParts>;

/** Whose a record is, by the fields most records have. */
export function ownerOf(record: {
  readonly workspaceId?: UUIDv7 | undefined;
  readonly appId?: UUIDv7 | undefined;
  readonly customerUserId?: UUIDv7 | undefined;
}): Tenant {
  return {
    workspaceId: idText(record.workspaceId),
    appId: idText(record.appId),
    customerUserId: idText(record.customerUserId),
  };
}

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
