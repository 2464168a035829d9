import { ApprovalState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { CoreChoices } from "../core/choices.ts";
import { coreChoices } from "../core/defaults.ts";

/** Every choice this beta.v1 reference makes where the contract says "not shown". Choices of the core are explained at their type. */
export interface BetaChoices extends CoreChoices {
  // Names and addresses
  /** Longest name or external user id, in characters. */
  maximumNameLength: number;
  /** What an empty url, list of event types or attributes of an update means; where such are kept, the lists of a grant are, too. */
  emptyUpdateField: "refuse" | "keep";

  // Grants
  /** What creating a grant for an external user who has one does. */
  existingExternalUser: "refuse" | "return existing";
  /** Whether origins and scopes of a grant must have the forms the contract names, and its end must be to come. */
  grantForms: "checked" | "free";
  /** What revoking a revoked grant does: nothing more, or it is refused. */
  revokedAgain: "refuse" | "unchanged";
  /** Whether a revoked or expired grant gets no new sessions, runs and tokens. */
  endedGrantBlocks: boolean;
  /** What an empty `allowedToolIds` of a grant allows. */
  emptyToolList: "every tool" | "no tool";

  // Browser tokens
  /** What asking for a scope outside the grant does. */
  excessScopes: "refuse" | "narrow";
  /** What asking for an origin or tool outside the grant does. */
  excessBounds: "refuse" | "narrow" | "allow";
  /** Lifetime of a token that asks for none, and the longest one, in seconds. */
  defaultTokenLifetimeSeconds: number;
  maximumTokenLifetimeSeconds: number;
  /** What a longer lifetime comes to. */
  longTokenLifetime: "cut down" | "refuse";
  /** Whether a token's expiry is no later than its grant's. */
  tokensEndWithGrant: boolean;
  /** Whether revoking a grant ends its live tokens. */
  revocationEndsTokens: boolean;
  /** Whether a grant's expiry ends its live tokens. */
  grantExpiryEndsTokens: boolean;
  /** Whether a scope taken from a grant is taken from its live tokens. */
  updateNarrowsTokens: boolean;
  /** When a browser token's `Origin` must be one it was issued for. */
  originEnforced: "never" | "when sent" | "always";

  // Sessions
  /** What reads say of a deleted session: not found, or the record in its last state. */
  deletedSession: "gone" | "tombstone";
  /** Lifetime of a voice ticket, in milliseconds. */
  voiceTicketLifetimeMs: number;

  // Runs
  /** Least and most milliseconds of one stage of a run. */
  runStageMs: readonly [least: number, most: number];
  /** Whether a run shows its states on the way, or only those it must wait in. */
  runStates: "all" | "waiting";
  /** Which app version a run may name: its session's, or any of the app. */
  runVersion: "session's" | "any";
  /** Whether a run is being canceled for a while, or canceled at once. */
  cancellation: "canceling first" | "at once";
  /** What canceling a run that only waits for its costs does. */
  cancelSettlingRun: "accept" | "refuse";
  /** So many unfinished runs per app, then CONCURRENCY_EXHAUSTED. */
  maximumUnfinishedRuns: number | undefined;
  /** How long a run that waits to be canceled runs at most, in milliseconds. */
  slowRunMs: number;
  /** Whether the memory of a new customer user is on before anybody turns it on. */
  memoryAtFirst: "on" | "off";
  /** Whether a run that was kept from remembering says so. */
  memoryWarnings: boolean;

  // Text
  /** What one text event carries. */
  textPieces: "words" | "characters" | "whole text";
  /** Milliseconds before each text event. */
  textPauseMs: number;
  /** Which event is marked final: the last piece, or an empty one after it. */
  finalText: "last piece" | "empty piece";
  /** So many text events are kept for those who come later. */
  textReplay: number;

  // Approvals
  /** How long an approval can be decided, in milliseconds. */
  approvalLifetimeMs: number;
  /** The same, for the input that asks for little time. */
  briefApprovalMs: number;
  /** How many approvals, one after the other, a tool call that needs approval asks for. */
  approvalsPerCall: number;
  /** The state of an approval that nobody decided in time. */
  undecidedApproval: ApprovalState.EXPIRED | ApprovalState.CANCELED;
  /** What becomes of a run whose tool call is rejected: it fails, is canceled, or goes on without. */
  rejectedApproval: "fail" | "cancel" | "go on";
  /** What sending the decision of a decided approval again does. */
  decidedAgain: "refuse" | "unchanged";
  /** What `argumentSha256` is the digest of. */
  argumentDigest: "value" | "encoded payload";
  /** Lifetime of a hosted approval link, in milliseconds. */
  hostedLinkLifetimeMs: number;
  /** What a link for a run that awaits no approval is. */
  hostedLinkWithoutApproval: "refuse" | "issue";

  // OAuth hand-off
  /** What completing a completed login request for the same user does. */
  completedAgain: "refuse" | "unchanged";
  /** How long nobody may have asked for any login request before completed ones wait again, in milliseconds; undefined: they never do. */
  completedQuietMs: number | undefined;

  // Artifacts
  /** How long an artifact is kept, in milliseconds. */
  artifactLifetimeMs: number;

  // Webhooks
  /** What an endpoint without event types is: refused, one that gets nothing, or one that gets everything. */
  emptyEventTypes: "refuse" | "nothing" | "everything";
  /** What has an event id of its own: each type that a change is told under, or each change, under all its types. */
  eventIds: "each type" | "each change";
  /** What a delivery's body holds: the run itself, or only ids. */
  deliveryBody: "run" | "ids";
}

export const betaChoices: BetaChoices = {
  ...coreChoices,
  replayPlaintext: "blank",
  remembersReads: false,
  idempotencyAmong: "tenant, refusing others",

  maximumNameLength: 200,
  emptyUpdateField: "refuse",

  existingExternalUser: "refuse",
  grantForms: "checked",
  revokedAgain: "refuse",
  endedGrantBlocks: true,
  emptyToolList: "every tool",

  excessScopes: "refuse",
  excessBounds: "refuse",
  defaultTokenLifetimeSeconds: 15 * 60,
  maximumTokenLifetimeSeconds: 24 * 60 * 60,
  longTokenLifetime: "cut down",
  tokensEndWithGrant: true,
  revocationEndsTokens: true,
  grantExpiryEndsTokens: true,
  updateNarrowsTokens: true,
  originEnforced: "when sent",

  deletedSession: "tombstone",
  voiceTicketLifetimeMs: 60_000,

  runStageMs: [5, 15],
  runStates: "all",
  runVersion: "session's",
  cancellation: "canceling first",
  cancelSettlingRun: "accept",
  maximumUnfinishedRuns: undefined,
  slowRunMs: 30_000,
  memoryAtFirst: "on",
  memoryWarnings: true,

  textPieces: "words",
  textPauseMs: 1,
  finalText: "last piece",
  textReplay: 64,

  approvalLifetimeMs: 10 * 60_000,
  briefApprovalMs: 250,
  approvalsPerCall: 1,
  undecidedApproval: ApprovalState.EXPIRED,
  rejectedApproval: "fail",
  decidedAgain: "refuse",
  argumentDigest: "value",
  hostedLinkLifetimeMs: 10 * 60_000,
  hostedLinkWithoutApproval: "refuse",

  completedAgain: "refuse",
  completedQuietMs: undefined,

  artifactLifetimeMs: 24 * 60 * 60_000,

  emptyEventTypes: "refuse",
  eventIds: "each type",
  deliveryBody: "run",
};
