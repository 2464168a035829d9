import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { differences } from "../oracles/agreement.ts";
import { showJson } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** A record at one of its versions, as the reply that made it so showed it. */
export interface RecordVersion {
  readonly version: string;
  readonly record: JsonObject;
}

/** A call that must have had no effect, should the record turn out to be otherwise than it was. */
export interface SuspectCall {
  readonly reply: Reply;
  readonly clause: string;
}

/** The model of one record: all that is known of it. One that is made anew under an old id is another thing. */
export interface TrackedRecord {
  readonly id: JsonValue;
  /** `secret a`: how a told history names it. */
  readonly name: string;
  /** The stages it went through, oldest first; the last is the one it is at. */
  readonly stages: RecordVersion[];
  /** It was deleted. */
  ended: boolean;
  /** A reading has shown the stage it is at. */
  seen: boolean;
  /** Calls since it was last seen as it should be. */
  suspects: SuspectCall[];
}

/** What the model needs to know of a kind of record. */
export interface RecordRules {
  readonly message: DescMessage;
  /** Fields callers choose: only a call that sets one changes it. */
  readonly chosen: ReadonlySet<string>;
  /** Nothing but a mutation changes it while it is so. */
  readonly settled: (record: JsonObject) => boolean;
  /** What is wrong with going from one record to another by itself; undefined where nothing is. */
  readonly forbids: (before: JsonObject, now: JsonObject) => ForbiddenChange | undefined;
  /** True where going from one record to another by itself is what a mutation does that must have had no effect. */
  readonly betrays: (before: JsonObject, now: JsonObject) => boolean;
  readonly isTombstone: (record: JsonObject) => boolean;
}

/** A way a record must not go, and the clause that says so. */
export interface ForbiddenChange {
  readonly clause: string;
  readonly says: string;
}

/** The stage a thing is at. */
export function currentVersionOf({ stages, name }: TrackedRecord): RecordVersion {
  const stage = stages.at(-1);
  if (stage === undefined) throw new Error(`${name} was never made`);
  return stage;
}

/** What a sighting says: all is as it should be, a copy may lag behind, or the contract is broken. */
export type Comparison =
  | { readonly is: "right" }
  | { readonly is: "moved"; readonly stage: RecordVersion }
  | { readonly is: "behind"; readonly clause: string; readonly expected: string; readonly seen: string }
  | { readonly is: "wrong"; readonly clause: string; readonly expected: string; readonly seen: string };

const right: Comparison = { is: "right" };

function shownOf(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => `${name} ${showJson(record[name])}`).join(", ");
}

/** Compares what a reading shows with the model. `record` undefined: it found nothing. */
export function compare(
  thing: TrackedRecord,
  record: JsonObject | undefined,
  version: string,
  nature: RecordRules,
): Comparison {
  const gone = record === undefined || nature.isTombstone(record);
  const stage = currentVersionOf(thing);
  if (thing.ended) {
    if (gone) return right;
    return {
      is: "behind",
      clause: "*.deletion.effective",
      expected: `${thing.name} gone, or shown as deleted`,
      seen: `it is there, at version ${version}`,
    };
  }
  if (gone) {
    return {
      is: "behind",
      clause: "*.endpoints.served",
      expected: `${thing.name}, at version ${stage.version}`,
      seen: "nothing there",
    };
  }
  const still = new Set([...nature.chosen, "createdAt"]);
  if (version === stage.version) {
    const compared = nature.settled(record) && nature.settled(stage.record) ? undefined : still;
    const wrong = differences(nature.message, stage.record, record, compared);
    if (wrong.length === 0) return right;
    return {
      is: "wrong",
      clause: "*.records.agree",
      expected: `${thing.name} at version ${version} with ${shownOf(stage.record, wrong)}`,
      seen: shownOf(record, wrong),
    };
  }
  const known = thing.stages.find((one) => one.version === version);
  if (known !== undefined) {
    // A copy that lags shows what was, whole.
    const torn = differences(nature.message, known.record, record, still);
    if (torn.length > 0) {
      return {
        is: "wrong",
        clause: "*.records.agree",
        expected: `${thing.name} at version ${version} with ${shownOf(known.record, torn)}`,
        seen: shownOf(record, torn),
      };
    }
    return {
      is: "behind",
      clause: "*.records.agree",
      expected: `${thing.name} at version ${stage.version}, as it was left`,
      seen: `version ${version}, which it was at before`,
    };
  }
  if (nature.settled(stage.record)) {
    const changed = differences(nature.message, stage.record, record).filter(
      (name) => name !== "resourceVersion" && name !== "updatedAt",
    );
    return {
      is: "wrong",
      clause: changed.length > 0 ? "*.records.agree" : "*.versioning.reads-keep",
      expected: `${thing.name} at version ${stage.version}, as it was left`,
      seen: `version ${version}, which nobody was told of${changed.length > 0 ? `, with ${shownOf(record, changed)}` : ""}`,
    };
  }
  const betrayed = thing.suspects.length > 0 && nature.betrays(stage.record, record);
  const forbidden = betrayed
    ? { clause: "*.versioning.expected", says: `${thing.name} as it was left` }
    : nature.forbids(stage.record, record);
  if (forbidden !== undefined) {
    return { is: "wrong", clause: forbidden.clause, expected: forbidden.says, seen: showJson(record.state) };
  }
  const lost = differences(nature.message, stage.record, record, still);
  if (lost.length > 0) {
    return {
      is: "wrong",
      clause: "*.records.agree",
      expected: `${thing.name} with ${shownOf(stage.record, lost)}, which nothing changed`,
      seen: shownOf(record, lost),
    };
  }
  return { is: "moved", stage: { version, record } };
}
