import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import type { Setup, Subject } from "../case/setup.ts";
import type { Credential } from "../wire/request.ts";
import type { TokenTurns } from "./token-turns.ts";

/** A tenant: where things are made, and who makes them. */
export interface Tenant {
  /** Request fields that name it: `{ workspaceId }`, in beta.v1 `{ workspaceId, appId }`. */
  readonly fields: JsonObject;
  /** Its server-side key with every scope. */
  readonly key: Credential;
  /** As labels of credentials and the list of leftovers name it: `the own tenant`. */
  readonly label: string;
  /** A published version of its app, in beta.v1. Throws NotExercised where the target file names none. */
  readonly appVersionId?: JsonObject;
  /** The tools of its app that may be granted, in beta.v1. */
  readonly tools?: Tools;
  /** How its users' credentials are issued and used, where one of a user works at a time. */
  readonly turns?: TokenTurns;
}

/** Tools, as ids stand in JSON, and the key of the target file that names them. */
export interface Tools {
  readonly ids: readonly JsonObject[];
  readonly key: string;
}

/** Where a setup works: for a case, in a tenant of a package. */
export interface Place {
  readonly context: CaseContext;
  readonly facts: PackageSetup;
  /** Throws NotExercised where the target file lacks what names the tenant. */
  tenant(): Tenant;
  /** The tenant's key with every scope, which may be known where the tenant is not. Throws NotExercised where it is not. */
  key(): Credential;
  /** Tells what is shared in the tenant from what is shared in others. */
  readonly label: string;
}

/**
 * What is special about a kind of resource. Without anything special it is made by the row that creates its kind, in one
 * state only, and deleted by the row that deletes it.
 */
export interface Resource {
  /** Makes one in the state that most calls act on. */
  create?(context: CaseContext): Promise<Subject>;
  /** Makes one in another state, by the name of the state: `job:running` is made by `running`. */
  readonly states?: Readonly<Record<string, (context: CaseContext) => Promise<Subject>>>;
  /** The state in which a row finds what it acts on; undefined for the usual one. */
  stateFor?(context: CaseContext, row: RpcRow): Promise<string | undefined> | string | undefined;
  /** The state of `states` in which one is made that many cases read; undefined for the usual one. */
  readonly sharedState?: string;
  /** Other states of `states` in which a row may find what it acts on, and may refuse to act. */
  otherStates?(row: RpcRow): readonly string[];
  /** Makes so many, or as many as there are, all shown by one listing. */
  createMany?(context: CaseContext, count: number): Promise<readonly Subject[]>;
  /** Fields of a creating request that fit together. */
  contentFields?(context: CaseContext): JsonObject;
  /**
   * Fields of a creating request that setup fills though not every case needs them: where the call is refused it is made
   * again without them. Which fields are required is not shown.
   */
  readonly spare?: readonly string[];
  /** The live ones told by a mark, of a kind that nothing lists. */
  findMarked?(context: CaseContext, mark: JsonValue): Promise<readonly Subject[]>;
  /** Brings one, shared by no other case, into a state in which it is deleted. Default: it is deleted as it is. */
  deletable?(context: CaseContext, made: Subject): Promise<Subject>;
  /** What a call did to one that is there still, and that its record does not show; undefined where nothing. */
  harm?(context: CaseContext, subject: Subject): Promise<string | undefined>;
  /** Undoes the making of one; undefined once nothing of it is left, else why something is. */
  undo?(context: CaseContext, made: Subject): Promise<string | undefined>;
  /** What came with one, and need not go with it, as far as is known: asked before that is undone and after it. */
  cameWith?(context: CaseContext, made: Subject): Promise<readonly Subject[]>;
}

/** The members of a setup that say who calls. */
export type Credentials = Pick<
  Setup,
  | "credential"
  | "keyWithScope"
  | "keyWithoutScope"
  | "keysWithoutScope"
  | "credentialOfKind"
  | "credentialOfKindWithScope"
  | "credentialOfKindWithoutScope"
  | "unpermittedUser"
  | "otherUser"
>;

/** What setup knows of a package beside what its rows state. */
export interface PackageSetup {
  /** By kind, what is special about a resource. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The run's own tenant. Throws NotExercised where the target file names none. */
  ownTenant(context: CaseContext): Tenant;
  /** The run's own tenant with users of its own for a name, where credentials of one end each other; else undefined. */
  tenantApart?(context: CaseContext, name: string): Promise<Tenant | undefined>;
  /** The run's own tenant with a customer user beside the usual one. Packages without users have none. */
  tenantOfAnotherUser?(context: CaseContext): Promise<Tenant>;
  /** The tenant to be kept apart from it. Throws NotExercised where the target file names none. */
  otherTenant(context: CaseContext): Tenant;
  /** The tenant a request named, if it did, with a key by which what it made is undone. */
  tenantOf(context: CaseContext, request: JsonObject, as: CallOptions["as"]): Tenant | undefined;
  /** Base URL where a row sees what other calls made; undefined for the usual one. */
  homeUrl(context: CaseContext, row: RpcRow): Promise<string | undefined>;
  /** An id of something a row works with but is not about, by what the field names; undefined where it may be left out. */
  idFor(place: Place, row: RpcRow, names: string, subject: Subject | undefined): Promise<JsonValue | undefined>;
  /** A value for a request field that only this package has, to be written over a subject's; undefined for any other field. */
  valueFor(
    context: CaseContext,
    field: string,
    subject?: Subject,
  ): JsonValue | undefined | Promise<JsonValue | undefined>;
  credentials(place: Place): Credentials;
}
