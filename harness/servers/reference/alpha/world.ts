import type {
  Artifact,
  Job,
  MiniAppDescriptor,
  Secret,
  WebhookDelivery,
  WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { Context, World } from "../core/context.ts";
import type { Decoration } from "../core/decoration.ts";
import type { Deliveries } from "../core/deliveries.ts";
import type { Keeping } from "../core/foundation.ts";
import type { Table } from "../core/store.ts";
import type { AlphaChoices } from "./choices.ts";
import type { Keys } from "./keys.ts";
import type { AlphaParts } from "./parts.ts";

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
