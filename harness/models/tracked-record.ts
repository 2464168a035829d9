import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Change } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";

/** A record at one version, as the reply of the mutation that wrote it showed it. */
export interface RecordVersion {
  readonly version: string;
  readonly record: JsonObject;
  /** The reply that showed it; none where it was there before the first step. */
  readonly reply?: Reply;
}

/** A call that must have had no effect, and the clause it broke if it had one. */
export interface NoEffectCall {
  readonly reply: Reply;
  readonly clause: string;
}

/** What a served call may have made of records, where the contract leaves it open: they stay, or all of them are gone. */
export interface MayBeGone {
  /** The first reply that told that one is gone, and so all are. */
  toldBy?: Reply;
}

/** The model of one record. A record that is created anew under a deleted id is another record. */
export interface TrackedRecord {
  readonly id: JsonValue;
  /** Its name in step logs: `secret a`. */
  readonly name: string;
  /** Its versions, oldest first. The last is the current one. */
  readonly versions: RecordVersion[];
  /** What mutations that were served have done to it. */
  readonly changes: Set<Change>;
  deleted: boolean;
  /** The reply of the call that deleted it. */
  deletedBy?: Reply;
  /** Set while it may be gone without having been deleted; shared by the records that the same call left so. */
  mayBeGone?: MayBeGone;
  /** Set once something was done to another record that may have moved its version, too: a reading tells which it has. */
  mayMove?: boolean;
  /** True once a read has shown the current version. */
  confirmed: boolean;
  /** Calls that must have had no effect, since a read last agreed with the model. */
  noEffectCalls: NoEffectCall[];
}

/** What the model knows of a kind of record. Records are compared before and after a read. */
export interface RecordRules {
  readonly message: DescMessage;
  /** What replies call such a record: `secret`. */
  readonly path: string;
  /** JSON names of fields that callers set: they change only by a call that sets them. */
  readonly callerFields: ReadonlySet<string>;
  /** True while only a mutation can change the record: of a finished job, not of a running one. */
  readonly settled: (record: JsonObject) => boolean;
  /** What forbids a record to change in this way by itself; undefined where it may. */
  readonly forbiddenChange: (before: JsonObject, after: JsonObject) => ForbiddenChange | undefined;
  /** What a mutation must have done for a record to change so, as a job to canceled; undefined where it may by itself. */
  readonly mutationOf: (before: JsonObject, after: JsonObject) => Change | undefined;
  readonly isTombstone: (record: JsonObject) => boolean;
  /** True for a record that is there, and need not be shown: of a revoked grant. */
  readonly isHidden: (record: JsonObject) => boolean;
}

/** The clause that forbids a change, and what was expected instead. */
export interface ForbiddenChange {
  readonly clause: string;
  readonly expected: string;
}

/** The current version of a record. */
export function currentVersionOf({ versions, name }: TrackedRecord): RecordVersion {
  const current = versions.at(-1);
  if (current === undefined) throw new Error(`${name} was never created`);
  return current;
}
