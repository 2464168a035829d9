import type {
  Approval,
  ApprovalState,
  CustomerUserGrant,
  EncodedPayload,
  Run,
  RunStateEvent,
  RunTextEvent,
  UUIDv7,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEventType,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Destination } from "../core/deliveries.ts";
import type { EventLog, Numbered } from "../core/event-log.ts";
import type { CoreParts } from "../core/parts.ts";
import type { Tool } from "./apps.ts";
import type { BetaPrincipal } from "./keys.ts";
import type { BetaContext, BetaWorld, VoiceTicket } from "./world.ts";

/** What a browser token is asked to be good for. */
export interface TokenRequest {
  readonly scopes: readonly string[];
  /** 0 asks for none. */
  readonly lifetimeSeconds: number;
  readonly origins: readonly string[];
  readonly allowedToolIds: readonly UUIDv7[];
}

/** What a browser token is good for. */
export type TokenBounds = Required<Pick<BetaPrincipal, "scopes" | "origins" | "allowedToolIds" | "until">>;

/** Something webhooks tell of. */
export interface WebhookEvent {
  readonly eventId: string;
  readonly type: WebhookEventType;
  /** The run, or the approval, it is about. */
  readonly subjectId: string;
  readonly run: Run;
}

/** The replaceable parts of a beta reference: the core's, and these. */
export interface BetaParts extends CoreParts<BetaWorld> {
  /** Whether a browser token's grant still carries it. */
  isLive(world: BetaWorld, principal: BetaPrincipal): boolean;
  /** A browser token is used from where it was issued for. */
  authorizeOrigin(context: BetaContext, principal: BetaPrincipal): void;
  /** An idpUser has the platform permission for the row. */
  authorizePermission(context: BetaContext, principal: BetaPrincipal): void;
  /** The grant of the customer user a request names. */
  findUser(context: BetaContext): CustomerUserGrant;
  /** The tools a grant or a token names are the app's. */
  requireTools(context: BetaContext, ids: readonly UUIDv7[]): void;
  /** What a browser token is good for, within its grant. */
  boundToken(context: BetaContext, grant: CustomerUserGrant, request: TokenRequest): TokenBounds;
  /** The event of the state a run has just come to. */
  stateEvent(world: BetaWorld, run: Run): RunStateEvent;
  /** The event of a piece of a run's text. */
  textEvent(world: BetaWorld, run: Run, delta: string, final: boolean): RunTextEvent;
  /** The events of a stream: those kept, after a sequence, and those to come. */
  follow<T extends Numbered>(context: BetaContext, log: EventLog<T>, afterSequence: bigint): AsyncIterable<T>;
  /** Whether a run may call a tool. */
  allowsTool(world: BetaWorld, run: Run, tool: Tool): boolean;
  /** What a run costs, in millionths of a US dollar. */
  settledCost(world: BetaWorld, run: Run): bigint;
  /** Writes what a run leaves in its user's memory. */
  remember(world: BetaWorld, run: Run): void;
  /** `argumentSha256` of an approval. */
  argumentDigest(world: BetaWorld, payload: EncodedPayload): Uint8Array;
  /** Decides a pending approval, and lets its run go on or fail. */
  decide(world: BetaWorld, approval: Approval, state: ApprovalState.APPROVED | ApprovalState.REJECTED): Approval;
  /** Takes a voice ticket out of use. Undefined for one that is not, or no longer, good. */
  takeTicket(world: BetaWorld, ticket: string): VoiceTicket | undefined;
  /** The endpoints an event goes to. */
  subscribers(world: BetaWorld, event: WebhookEvent): WebhookEndpoint[];
  /** Where a delivery goes now and what signs it; undefined: nowhere, it is canceled. */
  destination(world: BetaWorld, delivery: WebhookDelivery): Destination | undefined;
  /** The body of an event's webhooks. */
  deliveryBody(world: BetaWorld, event: WebhookEvent): string;
}
