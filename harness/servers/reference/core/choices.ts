import type { Code } from "@connectrpc/connect";
import type { Reason } from "./refusal.ts";

/**
 * Choices on open points that every package of the contract meets: those the core reads. Each package lists its
 * defaults, and choices of its own, in its `choices.ts`.
 */
export interface CoreChoices extends WireChoices {
  // Errors
  /** Connect code of each reason. */
  codes: Readonly<Record<Reason, Code>>;
  /** Whether a refusal carries an `ErrorDetail`. */
  errorDetailPresent: boolean;
  /** Whether an `ErrorDetail` of a request that had a `requestId` repeats it. */
  errorEchoesRequestId: boolean;

  // Tenants
  /** How a workspace, or an app, that is not the credential's own is refused. */
  foreignWorkspaceAnswer: "not-found" | "denied";
  /** How a customer user other than the credential's own is refused. */
  foreignUserAnswer: "not-found" | "denied";

  // Versions
  /** Version of a new record. */
  versionStart: bigint;
  /** How far a change moves the version. */
  versionStep: bigint;
  /** What an absent or zero expected version means. */
  omittedExpectedVersion: "conflict" | "invalid" | "unconditional";
  /** Whether a new record has an `updatedAt`. */
  updatedAtOnCreate: boolean;

  // Idempotency
  /** How a request that was already served is answered. */
  replay: "same reply" | "refuse";
  /** Whether a replay shows a credential again, or is refused where it would. */
  replayPlaintext: "repeat" | "blank" | "refuse";
  /** Whether reads, lists and streams are remembered like other calls, or answered afresh every time. */
  remembersReads: boolean;
  /** Who shares the memory of a `requestId`: nobody; or the tenant, where another of its credentials is refused or answered the same. */
  idempotencyAmong: "one credential" | "tenant, refusing others" | "tenant, answering others";
  /** How a remembered `requestId` with another body is answered. */
  idempotencyConflict: "refuse" | "serve as new";
  /** How long a `requestId` is remembered, in milliseconds. */
  idempotencyLifetimeMs: number;

  // Input
  /** Whether a read or list without a `requestId` is refused, as a change is. */
  readsNeedRequestId: boolean;
  /** Which UUID versions a request may carry. */
  acceptedIds: "any uuid" | "uuid v7";

  // Paging
  /** Page size for a request that names none. */
  defaultPageSize: number;
  /** Larger sizes are cut down to this. */
  maximumPageSize: number;
  /** Whether the last full page has a cursor to an empty one. */
  emptyLastPage: boolean;
  /** Whether a listing begins with an empty page, whose cursor leads to the items. */
  emptyFirstPage: boolean;
  /** Whether what was deleted, and is not shown, still counts for the size of pages. */
  pagesCountDeleted: boolean;
  listOrder: "ascending" | "descending";
  /** Whether tombstones are listed. */
  listTombstones: boolean;

  // Watching
  /** Milliseconds between heartbeats; 0 sends none. */
  heartbeatMs: number;
  /** Whether a watch whose first message would not be a snapshot begins with a heartbeat. */
  heartbeatAtStart: boolean;
  /** Whether a snapshot at exactly the version resumed from is sent again. */
  watchResendsSnapshot: boolean;
  /** Whether a watch ends once nothing more can happen. */
  watchEndsAtTerminal: boolean;

  // Admission: off by default
  /** So many calls per key in a window, then RATE_LIMITED. */
  rateLimit: { readonly calls: number; readonly windowMs: number } | undefined;
  /** So many metered calls per workspace, then QUOTA_EXHAUSTED. */
  meteredQuota: number | undefined;
  /** Metered calls are refused with BILLING_BLOCKED. */
  billingBlocked: boolean;
  /** Every n-th call is refused with DEPENDENCY_UNAVAILABLE. */
  dependencyFailsEvery: number | undefined;

  // Webhook deliveries
  /** Pauses before the second and each later attempt, in milliseconds. An attempt more than pauses, then FAILED. */
  deliveryPausesMs: readonly number[];
  /** How long an endpoint may take to answer, in milliseconds. */
  deliveryTimeoutMs: number;
  /** How long the first attempt waits for those it is sent together with, in milliseconds. */
  deliveryDelayMs: number;
  /** Attempts under way at once, to all endpoints. */
  deliverySlots: number;
  /** The states in which a delivery is sent again on request. */
  redeliveredStates: readonly ("PENDING" | "DELIVERED" | "FAILED" | "CANCELED")[];
  /** How long the previous signing secret still signs after a rotation, in milliseconds. */
  rotationOverlapMs: number;
}

/** Choices about the form of what is sent; they work in the HTTP layer. */
export interface WireChoices {
  /** Whether fields at their default are written out. */
  emitDefaults: boolean;
  unknownRequestFields: "ignore" | "reject";
  /** Whether `Connect-Protocol-Version` must be sent. */
  versionHeaderRequired: boolean;
  /** Codings the server understands and offers. */
  codings: readonly ("gzip" | "br")[];
  /** Smallest message that is compressed, in bytes. */
  compressFromBytes: number;
  /** Largest request message, in bytes. */
  maximumRequestBytes: number;
  /** How a call to an unknown RPC is answered. */
  unknownMethodAnswer: "bare 404" | "404 unimplemented" | "501 unimplemented";
  /** How a stream that is refused before its first message is answered. */
  refusedStream: "end-stream" | "http error";
  /** Whether a unary error carries its Error object. */
  errorBody: "connect" | "empty";
  /** Whether error details carry a readable `debug` beside the binary value. */
  errorDebug: boolean;
  /** Fraction digits of timestamps; undefined: as few groups of three as it takes. */
  timestampDigits: 0 | 3 | 6 | 9 | undefined;
  /** Letter case of UUIDs in replies. */
  uuidCase: "lower" | "upper";
  /** Whether replies carry a field the contract does not have. */
  unknownReplyFields: boolean;
  keyOrder: "declared" | "reversed";
  jsonSpacing: "none" | "trailing newline" | "indented";
  /** Whether `; charset=utf-8` stands behind the content type of unary replies. */
  charset: boolean;
  /** More headers on every reply of an RPC. */
  extraHeaders: Readonly<Record<string, string>>;
  /** Milliseconds every call takes longer. */
  delayMs: number;
  /** Bodies are written in pieces of so many bytes; undefined: as they come. */
  pieceBytes: number | undefined;
}
