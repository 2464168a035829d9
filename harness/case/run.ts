import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PackageName } from "../../proto/rpcs.ts";
import type { Random } from "../generate/random.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import type { Credential } from "../wire/request.ts";
import type { CaseContext } from "./context.ts";
import type { Depth } from "./result.ts";
import type { Subject } from "./setup.ts";

/** How far readings are behind what was written. */
export interface ReadLag {
  /** Returns once readings of the package show what came about by itself, as one of them did. */
  pass(packageName: PackageName, signal: AbortSignal): Promise<void>;
  /** Milliseconds by which readings of a package's records are late, as far as is known. */
  behind(packageName: PackageName): number;
}

/** A credential that was issued, and until when it is good for certain, in milliseconds since 1970; undefined where it does not say. */
export interface Issuance {
  readonly credential: Credential;
  readonly until: number | undefined;
}

/** What keeps credentials alive that cases share: how long the target lets one live is not shown. */
export interface Renewals {
  /** Issues a credential by `mint`, which issues it anew whenever it is about to end. */
  issue(mint: () => Promise<Issuance>): Promise<Credential>;
  /**
   * What is to be used in place of a credential: the one that was issued for it last, or itself.
   *
   * @param requestId of the request, as it stands in its JSON: one that is sent again is sent with the credential it was sent with before, as
   *   another one need not be answered with what was remembered for that
   */
  current(as: Credential, requestId?: JsonValue): Promise<Credential>;
}

/** What still moves though it has ended. */
export interface LateMoves {
  /** What has ended, a job or a run, or is at rest, a delivery, once nothing moves it any more, as it is then. */
  stood(context: CaseContext, ended: Subject): Promise<Subject>;
  /** Tells that something which had ended moved `ms` milliseconds after it was taken to stand still: others are waited for so long. */
  met(context: CaseContext, ended: Subject, ms: number): void;
  /** Whether others of its kind, which had ended, were seen to move once more. */
  isKnown(context: CaseContext, ended: Subject): Promise<boolean>;
}

/** What was waited for in vain by some cases, so that not each of them waits for it again. */
export interface Circuits {
  /** Why something is not to be waited for; undefined where it is. To be asked once for each wait. */
  inVain(what: string): string | undefined;
  /** Whether something is known not to come by now. Who asks is under way already, and is not counted. */
  isKnown(what: string): boolean;
  /** Tells how a wait ended: that it came, or that it did not within all the time there was. */
  ended(what: string, came: boolean): void;
}

/** What a case sees of the run it is part of: what all its cases share. */
export interface CaseRun {
  /** How much is asked: a case that asks one question in many ways asks fewer of them in smoke, and all of them in deep. */
  readonly depth: Depth;
  /** Runs per property. */
  readonly propertyRuns: number;
  /** When histories against the models are to end, by `performance.now()`, where they go on for a time. */
  readonly historiesUntil: number | undefined;
  /**
   * Decides which of many inputs are sent, and nothing else: by the seed alone, so that a replay sends what the run did.
   * A case derives its own from it; the values it invents are its context's, and new in each run.
   */
  readonly draws: Random;
  /** Begins every name the run gives, so that what it made can be told from everything else. */
  readonly prefix: string;
  readonly secrets: SecretRegistry;
  /** How far readings are behind. */
  readonly readLag: ReadLag;
  /** Credentials that are issued anew before they end. */
  readonly renewals: Renewals;
  /** What is known to move after its end. */
  readonly lateMoves: LateMoves;
  readonly circuits: Circuits;
  /** What replies last showed of each record. */
  readonly lastSeen: {
    /** The record of an id as a reply showed it last, `deleted` once a deletion of it was served. */
    of(id: JsonValue): JsonObject | "deleted" | undefined;
    /** The record of an id as a reply showed it last, deleted or not. */
    shown(id: JsonValue): JsonObject | undefined;
  };
  /** What invariants know of the target as a whole. */
  readonly invariants: {
    /** Of versions: `falls` once a mutation has left a record at a lower one than it was served at. */
    readonly order: { readonly falls: boolean };
  };
  /** The package's server-side key with every scope. Throws NotExercised where the target file has none. */
  fullKey(packageName: PackageName): Credential;
  /** Makes a thing once and shares it between the cases that only read it. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** Which of a package's phases is on, as a number: what lives for a phase is made anew in the next. */
  readonly phase: { number(packageName: PackageName): number };
  /** The webhook receiver, started at the first use. Throws NotExercised where the target file has no `webhooks`. */
  receiver(): Promise<Receiver>;
}
