import type { CompleteOAuthLoginRequestResponse } from "../../../../proto/gen/beta/v1/oauth_handoff_service_pb.js";
import type {
  Approval,
  Artifact,
  CustomerUserGrant,
  Job,
  MemoryItem,
  MemorySettings,
  Run,
  RunStateEvent,
  RunTextEvent,
  Secret,
  Session,
  ToolCallPayload,
  UUIDv7,
  WebhookDelivery,
  WebhookEndpoint,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Context, Tenant, World } from "../core/context.ts";
import type { Decoration } from "../core/decoration.ts";
import type { Deliveries } from "../core/deliveries.ts";
import type { EventLog } from "../core/event-log.ts";
import { idText } from "../core/fields.ts";
import type { Keeping } from "../core/foundation.ts";
import type { Table } from "../core/store.ts";
import type { Apps } from "./apps.ts";
import type { BetaChoices } from "./choices.ts";
import type { BetaPrincipal, Credentials } from "./keys.ts";
import type { BetaParts } from "./parts.ts";
import type { Script } from "./script.ts";

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

/** What a voice ticket opens. */
export interface VoiceTicket {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What a run is beside its record: its payload, its events, and what its worker needs. */
export interface RunLife {
  readonly input: string;
  readonly script: Script;
  output: string;
  readonly toolCalls: ToolCallPayload[];
  readonly states: EventLog<RunStateEvent>;
  readonly texts: EventLog<RunTextEvent>;
  /** Something was worth remembering, and was not. */
  memoryWarning: boolean;
  /** Tools the caller allows; empty: whatever the grant allows. */
  readonly allowedToolIds: readonly string[];
  /** The call that made it; its errors name it. */
  readonly cause: { readonly requestId: string; readonly correlationId: string };
  /** Ends what the worker waits for. */
  wake(): void;
}

/** A login request as it is kept: the reply to its completion, whose time is absent until then. */
export type LoginRequest = CompleteOAuthLoginRequestResponse;

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
