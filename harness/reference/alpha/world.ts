import type {
  Artifact,
  Job,
  MiniAppDescriptor,
  Secret,
  WebhookDelivery,
  WebhookEndpoint,
} from "../../../proto/gen/alpha/v1/resources_pb.js";
import {
  ArtifactSchema,
  JobSchema,
  SecretSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from "../../../proto/gen/alpha/v1/resources_pb.js";
import { type Clock, ownClock } from "../core/clock.ts";
import type { Context, World } from "../core/context.ts";
import type { Decoration } from "../core/decoration.ts";
import { createDeliveries, type Deliveries } from "../core/deliveries.ts";
import { createIds } from "../core/ids.ts";
import { createRandom } from "../core/random.ts";
import type { SigningSecrets } from "../core/signing-secrets.ts";
import { createTable, type Table, type TablePolicy } from "../core/store.ts";
import { createVault, type Vault } from "../core/vault.ts";
import type { AlphaChoices } from "./choices.ts";
import { createDeliveryBook } from "./events.ts";
import { issueKeys, type Keys } from "./keys.ts";
import { createMiniApps } from "./mini-apps.ts";
import type { AlphaParts } from "./parts.ts";
import { createRules } from "./rules.ts";

/** All that a running alpha reference holds. */
export interface AlphaWorld extends World {
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
  readonly vault: Vault;
  /** Secret values, sealed for their secret's id. */
  readonly secretValues: Map<string, Uint8Array>;
  /** Signing secrets, sealed for their endpoint's id. */
  readonly signingSecrets: Map<string, SigningSecrets>;
  /** Bodies of webhooks, by delivery id. */
  readonly deliveryBodies: Map<string, string>;
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

export interface WorldOptions {
  readonly choices: AlphaChoices;
  readonly parts: AlphaParts;
  readonly clock: Clock;
  readonly seed: number | undefined;
  readonly closing: AbortSignal;
}

/** An empty world: catalog and credentials, no records. */
export function createAlphaWorld(options: WorldOptions): AlphaWorld {
  const { choices, parts, closing } = options;
  const clock = ownClock(options.clock);
  const random = createRandom(options.seed);
  const newId = createIds(clock, random);
  const keys = issueKeys(newId, () => random.token(32));
  const policy: TablePolicy = {
    clock,
    firstVersion: () => parts.firstVersion(world, ""),
    nextVersion: (current, subject) => parts.nextVersion(world, current, subject),
    updatedAtOnCreate: choices.updatedAtOnCreate,
  };
  const world: AlphaWorld = {
    choices,
    parts,
    clock,
    random,
    newId,
    tables: {
      artifact: createTable(ArtifactSchema, policy, { settle: (artifact) => parts.expire(world, artifact) }),
      job: createTable(JobSchema, policy),
      secret: createTable(SecretSchema, policy),
      webhook_endpoint: createTable(WebhookEndpointSchema, policy),
      webhook_delivery: createTable(WebhookDeliverySchema, policy),
    },
    keys,
    principals: keys.principals,
    memories: new Map(),
    cursorKey: random.bytes(32),
    closing,
    rules: createRules(choices),
    miniApps: createMiniApps(choices.versionStart),
    vault: createVault(random),
    secretValues: new Map(),
    signingSecrets: new Map(),
    deliveryBodies: new Map(),
    contents: new Map(),
    tickets: new Map(),
    get deliveries() {
      return deliveries;
    },
  };
  const deliveries = createDeliveries(world, createDeliveryBook(world));
  return world;
}
