import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Change, CredentialKind, RpcRow } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";
import type { Credential } from "../wire/request.ts";
import type { CallOptions } from "./call.ts";
import type { CaseContext } from "./context.ts";

/** One resource on the target, as its owner sees it. */
export interface Subject {
  /** Spelled as in the proto options: `secret`, `job`, … */
  readonly kind: string;
  /** As ids stand in JSON: `{ value }`, or a string for mini apps. */
  readonly id: JsonValue;
  /** The record as it was last seen. */
  readonly record: JsonObject;
  /** Name of the RPC that showed it so, where that is known. */
  readonly shownBy?: string;
  /** Its version then, as text. */
  readonly version: string;
  /** Request fields that narrow a listing to where the subject is: the endpoint of a delivery. */
  readonly within?: JsonObject;
  /** Nothing but a mutation changes it: its record may be compared whole. */
  readonly changesOnlyByMutation: boolean;
  /** Where it is served, if not at the RPC's usual base URL. */
  readonly baseUrl?: string | undefined;
}

/** Another tenant: who it is, and the key it calls with. */
export interface OtherTenant {
  readonly key: Credential;
  /** Request fields that name the tenant: `{ workspaceId }`. */
  readonly tenant: JsonObject;
  /** Its key serves the run's own tenant too: how keys are bound to tenants is not shown. */
  readonly sharesKey: boolean;
}

/** A customer user beside the one the setup works with. */
export interface OtherUser {
  /** Request fields that name the user. */
  readonly fields: JsonObject;
  /** A browser token of the user, with the row's scope. */
  token(row: RpcRow): Promise<Credential>;
}

/** Resources a listing shows. */
export interface Listed {
  readonly subjects: readonly Subject[];
  readonly request: JsonObject;
  readonly baseUrl: string | undefined;
}

/** Brings the target into the state a case starts from. Everything made is undone when the case is over. */
export interface Setup {
  /** Request fields that name the run's own tenant. */
  tenant(): JsonObject;
  /** A fresh id for a request. */
  requestId(): JsonValue;
  /** A name of the run. */
  name(label?: string): string;
  /** A resource of a kind, made for this case alone. */
  fresh(kind: string): Promise<Subject>;
  /** A resource of a kind that cases share: only to be read. */
  shared(kind: string): Promise<Subject>;
  /** Three resources or more that a listing row shows, and the request that lists them; shared, only to be read. */
  listed(row: RpcRow): Promise<Listed>;
  /** A resource in a state the row can act on, for this case alone; shared for rows that only read. */
  subjectOf(row: RpcRow): Promise<Subject | undefined>;
  /**
   * A request the row serves. `subject` undefined for rows that create or list; `fields` are taken as they are: nothing is
   * chosen, or needed from the target file, in their place.
   */
  request(row: RpcRow, subject: Subject | undefined, fields?: JsonObject): Promise<JsonObject>;
  /** Fields that a creating request of a kind may rather be made without, where it is refused. */
  spareFields(kind: string): readonly string[];
  /** Base URL the row is to be called on for this subject. */
  baseUrl(row: RpcRow, subject: Subject | undefined): string | undefined;
  /** Base URL where what other calls made is seen by the row: of jobs, that may be where the fixtures are. */
  homeUrl(row: RpcRow): Promise<string | undefined>;
  /** Reads a subject as its owner. */
  read(subject: Subject, options?: CallOptions): Promise<Reply>;
  /** The subject as it is now, or undefined where it is gone. */
  current(subject: Subject): Promise<Subject | undefined>;
  /** A change by somebody else: the subject's version moves on. Undefined for kinds nothing changes but their end, or not so. */
  change(subject: Subject, how?: Change): Promise<Subject | undefined>;
  /** Whether the row's effect is visible on the subject, compared with what it was before, and what was seen. */
  effectOn(row: RpcRow, before: Subject): Promise<{ readonly visible: boolean; readonly seen: string }>;
  /** The row that deletes a kind. */
  deleteOf(kind: string): RpcRow;
  /** The subject in a state in which the target deletes one of its kind. Throws Unproven where it can't be brought there. */
  deletable(subject: Subject): Promise<Subject>;
  /** True for a record shown as deleted, by targets that go on showing it. */
  isTombstone(record: JsonObject): boolean;
  /** How many live records a creating request made; undefined where nothing could show it. */
  countCreated(row: RpcRow, request: JsonObject): Promise<number | undefined>;
  /** What a served call made or changed, as a subject. */
  subjectIn(reply: Reply): Subject;
  /** Sees to it that what a served call made is undone. */
  undoCreated(reply: Reply, options: CallOptions): void;
  /** Sees to it that what a call made whose reply was lost is undone, though no other reply tell of it. */
  undoUntold(row: RpcRow, request: JsonObject, options: CallOptions): void;
  /** The credential a row is called with when nothing else is said. Throws NotExercised where there is none. */
  credential(row: RpcRow): Promise<Credential>;
  /** Another tenant, with a credential the row takes. Throws NotExercised where the target file names none. */
  otherTenant(row: RpcRow): Promise<OtherTenant>;
  /** A credential of the run's tenant with the row's scope and no other. Throws NotExercised where there is none. */
  keyWithScope(row: RpcRow): Promise<Credential>;
  /** A credential of the run's tenant without the row's scope. Throws NotExercised where there is none. */
  keyWithoutScope(row: RpcRow): Promise<Credential>;
  /**
   * Credentials of the run's tenant without the row's scope, that have between them the scopes of its area and of its verb,
   * as far as there are such: the first is `keyWithoutScope`. Throws NotExercised where there is none.
   */
  keysWithoutScope(row: RpcRow): Promise<readonly Credential[]>;
  /**
   * A credential of the run's tenant of a kind, with the row's scope where the kind has scopes; a browser token is of
   * the subject's customer user.
   */
  credentialOfKind(kind: CredentialKind, row: RpcRow, subject?: Subject): Promise<Credential>;
  /** As `credentialOfKind`, with the row's scope and no other. Throws NotExercised where there is none of the kind. */
  credentialOfKindWithScope(kind: CredentialKind, row: RpcRow, subject?: Subject): Promise<Credential>;
  /** As `credentialOfKind`, with scopes but without the row's. Throws NotExercised where there is none of the kind. */
  credentialOfKindWithoutScope(kind: CredentialKind, row: RpcRow, subject?: Subject): Promise<Credential>;
  /** An identity-provider user who may not do what the rows for such users do. */
  unpermittedUser(): Credential;
  /** Another customer user of the run's tenant. Packages without users have none. */
  otherUser(): Promise<OtherUser>;
  /**
   * The case's context, for a case that needs credentials beside the usual one of a customer user: where the target lets
   * one of a user work at a time, its users are its own, or those of all cases that give the same name.
   */
  apart(name?: string): Promise<CaseContext>;
  /** The case's context in the run's tenant for a customer user beside the usual one, the same in all cases. Packages without users have none. */
  asAnotherUser(): Promise<CaseContext>;
  /** The other tenant's own resource of a kind, shared: only to be read. Throws NotExercised where there is none. */
  ofOtherTenant(kind: string): Promise<Subject>;
  /** The case's context in the other tenant, for what a call from here may change there. Throws NotExercised where there is none. */
  elsewhere(): CaseContext;
}
