import type {
  Artifact,
  Job,
  MiniAppDescriptor,
  Secret,
  WebhookDelivery,
  WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import {
  ArtifactSchema,
  JobSchema,
  SecretSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { Context, World } from "../core/context.ts";
import type { Decoration } from "../core/decoration.ts";
import { createDeliveries, type Deliveries } from "../core/deliveries.ts";
import { idText } from "../core/fields.ts";
import { type Keeping, layFoundation, tablePolicy, type WorldOptions } from "../core/foundation.ts";
import { createTable, type Table } from "../core/store.ts";
import type { AlphaChoices } from "./choices.ts";
import { deliveryBook } from "./events.ts";
import { issueKeys, type Keys } from "./keys.ts";
import { createMiniApps } from "./mini-apps.ts";
import type { AlphaParts } from "./parts.ts";
import { createRules } from "./rules.ts";

/** All that a running alpha reference holds. */
export interface AlphaWorld extends World, Keeping {
  readonly choices: AlphaChoices;
  readonly parts: AlphaParts;
  readonly tables: {
    readonly artifact: Table<Artifact>;
    readonly job: Table<Job>;
    readonly secret: Table<Secret>;
    readonly webhook_endpoint: Table<WebhookEndpoint>;
    readonly webhook_delivery: Table<WebhookDelivery>;
  };
  readonly keys: Keys;
  readonly miniApps: readonly MiniAppDescriptor[];
  /** Uploaded bytes, by artifact id. */
  readonly contents: Map<string, Uint8Array>;
  /** Upload and download URLs, by their token. */
  readonly tickets: Map<string, Ticket>;
  readonly deliveries: Deliveries;
}

/** What a URL the service issued is good for. */
export interface Ticket {
  readonly use: "upload" | "download";
  readonly artifactId: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export type AlphaContext = Context<AlphaWorld>;

export type AlphaDecoration = Decoration<AlphaWorld, AlphaChoices, AlphaParts>;

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
