import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Context, Principal, Reply, World } from "./context.ts";
import type { DeliveryPost, SignedHeaders } from "./delivery-request.ts";
import type { Refusal } from "./refusal.ts";
import type { Table } from "./store.ts";

/** Where a traversal stands, and what it is a traversal of. */
export interface CursorPosition {
  readonly rpc: string;
  /** Key of the tenant whose records are listed; absent: the caller's. */
  readonly tenant?: string;
  readonly filter: string;
  /** Ordinal of the last record shown. */
  readonly after: number;
}

/** What is watched, and from where. */
export interface WatchSource<T extends Message> {
  readonly table: Table<T>;
  readonly id: string;
  /** Nothing at or before this version is shown. */
  readonly afterVersion: bigint;
  /** Whether nothing more can happen to the record. */
  isTerminal(record: T): boolean;
}

/**
 * The steps and mechanisms of a reference that a decoration may replace. Every part of the pipeline receives the whole
 * context, so that one RPC can be singled out by `context.row.name`. Guards refuse by throwing a `Refusal`; they are
 * synchronous, so that nothing can come between a version check and its effect.
 */
export interface CoreParts<W extends World = World> {
  /** The order of the steps. `effect` finds out what the handler does, with the handler's decorations around it. */
  pipeline(context: Context<W>, effect: () => Reply | Promise<Reply>): Promise<Reply>;
  /** Who calls, by the Authorization header. */
  authenticate(context: Context<W>): Principal;
  /** The credential's kind is one of the row's. */
  authorizeKind(context: Context<W>): void;
  /** The credential's scopes suffice for the row. */
  authorizeScope(context: Context<W>): void;
  /** The request's workspace is the credential's. */
  authorizeWorkspace(context: Context<W>): void;
  /** The request's app is the credential's. */
  authorizeApp(context: Context<W>): void;
  /** The request's customer user is the one the credential was issued for. */
  authorizeUser(context: Context<W>): void;
  /** Rate limit, quota, billing, dependencies. */
  admit(context: Context<W>): void;
  /** The request's fields are well-formed. */
  validate(context: Context<W>): void;
  /** Runs `effect` once per `requestId`. */
  idempotent(context: Context<W>, effect: () => Reply | Promise<Reply>): Promise<Reply>;
  /** What a `requestId` is unique within. */
  idempotencyKey(context: Context<W>): string;
  /** The record the row is about, or undefined where the request names none. */
  findSubject(context: Context<W>): Message | undefined;
  /** The expected version is the subject's. */
  checkVersion(context: Context<W>): void;
  /** The error a refusal is told with. Anything thrown that is no refusal comes here as INTERNAL. */
  describe(context: Context<W>, refusal: Refusal): ConnectError;
  /** Items on a page, for the requested size. */
  pageSize(context: Context<W>, requested: number): number;
  encodeCursor(context: Context<W>, position: CursorPosition): string;
  /** The position of a cursor, or undefined where it was not made for this listing. */
  decodeCursor(context: Context<W>, cursor: string, filter: string): CursorPosition | undefined;
  /** Version of a new record. */
  firstVersion(world: W, subject: string): bigint;
  /** Version after a change. */
  nextVersion(world: W, current: bigint, subject: string): bigint;
  /** The messages of a watch: snapshot, changes, heartbeats. */
  watch<T extends Message>(context: Context<W>, source: WatchSource<T>): AsyncIterable<T | "heartbeat">;
  /** The headers that sign a webhook body. */
  signDelivery(post: Omit<DeliveryPost, "headers">, secrets: readonly string[]): SignedHeaders;
  /** Sends a webhook. Resolves to the status, 0 where there was no answer. */
  postDelivery(post: DeliveryPost, timeoutMs: number, signal: AbortSignal): Promise<number>;
}
