import type { JsonObject } from "@bufbuild/protobuf";
import { differences } from "../oracles/agreement.ts";
import { isSwitchedOff } from "../oracles/records.ts";
import { showJson } from "../wire/json.ts";
import { type Contradiction, showFieldsAt } from "./contradiction.ts";
import {
  currentVersionOf,
  type ForbiddenChange,
  type RecordRules,
  type RecordVersion,
  type TrackedRecord,
} from "./tracked-record.ts";

interface Deviation {
  readonly clause: string;
  readonly expected: string;
  /** What it contradicts, and what it shows instead. */
  readonly contradiction: Contradiction;
}

/** How what a read shows compares with the model. */
export type Comparison =
  | { readonly is: "match" }
  /** It is gone, as it may be. */
  | { readonly is: "gone" }
  /** The record changed by itself, as it may: this is its new version. */
  | { readonly is: "advanced"; readonly version: RecordVersion }
  /** An earlier state, which a replica that lags may show. It is a breach only if reads never catch up. */
  | ({ readonly is: "stale" } & Deviation)
  /** A state the record never had. */
  | ({ readonly is: "mismatch" } & Deviation);

const match: Comparison = { is: "match" };

function stale(clause: string, expected: string, contradiction: Contradiction): Comparison {
  return { is: "stale", clause, expected, contradiction };
}

function mismatch(clause: string, expected: string, contradiction: Contradiction): Comparison {
  return { is: "mismatch", clause, expected, contradiction };
}

function showFields(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => `${name} ${showJson(record[name])}`).join(", ");
}

/** Fields that do not change while a record changes by itself. */
function constantFields({ callerFields }: RecordRules): ReadonlySet<string> {
  return new Set([...callerFields, "createdAt"]);
}

/** A version of the model and what a read shows, where the two differ in these fields. */
function inFields(
  { path }: RecordRules,
  { reply, record }: RecordVersion,
  shown: JsonObject,
  names: readonly string[],
): Contradiction {
  return {
    at: `${path}.${names[0] ?? "resourceVersion"}`,
    before: { reply, says: `showed ${showFieldsAt(path, record, names)}` },
    says: `showed ${showFieldsAt(path, shown, names)}`,
  };
}

const versionField = ["resourceVersion"];

/**
 * Compares what a read shows with the model of the record.
 * @param shown the record the read found; undefined where it found none
 * @param version its version, as text
 */
export function compare(
  tracked: TrackedRecord,
  shown: JsonObject | undefined,
  version: string,
  rules: RecordRules,
): Comparison {
  const { name, versions } = tracked;
  const missing = shown === undefined || rules.isTombstone(shown);
  if (tracked.deleted) {
    // Marked as deleted, or switched off where the kind has no mark: what a read of it answers is not shown.
    if (missing || isSwitchedOff(rules.message, shown)) return match;
    return stale("*.deletion.effective", `${name} not found, or marked as deleted`, {
      at: rules.path,
      before: { reply: tracked.deletedBy, says: `deleted ${name}` },
      says: `found it, with ${showFieldsAt(rules.path, shown, versionField)}`,
      between: "and nothing between created it again",
    });
  }
  const current = currentVersionOf(tracked);
  if (missing && rules.isHidden(current.record)) return match;
  if (tracked.mayBeGone !== undefined) {
    if (missing) return { is: "gone" };
    const { toldBy } = tracked.mayBeGone;
    // Replicas may lag here too.
    if (toldBy !== undefined) {
      return stale("*.deletion.effective", `${name} not found, as what may go with it is gone`, {
        at: rules.path,
        before: { reply: toldBy, says: `told that it, or what goes with it, is gone` },
        says: `found it, with ${showFieldsAt(rules.path, shown, versionField)}`,
        between: "and nothing between brought it back",
      });
    }
  }
  if (missing) {
    const { reply, record } = current;
    return stale("*.endpoints.served", `${name}, at version ${current.version}`, {
      at: rules.path,
      before: { reply, says: `showed ${showFieldsAt(rules.path, record, versionField)}` },
      says: shown === undefined ? `found no ${name}` : `showed ${name} as deleted`,
      between: "and nothing between deleted it",
    });
  }
  if (version === current.version) return compareWithCurrent(name, current, shown, rules);
  const earlier = versions.find((one) => one.version === version);
  if (earlier !== undefined) return compareWithEarlier(name, current, earlier, shown, rules);
  const next = { version, record: shown };
  return rules.settled(current.record) && tracked.mayMove !== true
    ? unexplainedVersion(name, current, next, rules)
    : compareWithNext(tracked, current, next, rules);
}

function compareWithCurrent(name: string, current: RecordVersion, shown: JsonObject, rules: RecordRules): Comparison {
  const compared = rules.settled(shown) && rules.settled(current.record) ? undefined : constantFields(rules);
  const different = differences(rules.message, current.record, shown, compared);
  if (different.length === 0) return match;
  return mismatch(
    "*.records.agree",
    `${name} at version ${current.version} with ${showFields(current.record, different)}`,
    inFields(rules, current, shown, different),
  );
}

/** A replica that lags shows an earlier version whole, not mixed with another. */
function compareWithEarlier(
  name: string,
  current: RecordVersion,
  earlier: RecordVersion,
  shown: JsonObject,
  rules: RecordRules,
): Comparison {
  const different = differences(rules.message, earlier.record, shown, constantFields(rules));
  if (different.length > 0) {
    return mismatch(
      "*.records.agree",
      `${name} at version ${earlier.version} with ${showFields(earlier.record, different)}`,
      {
        ...inFields(rules, earlier, shown, different),
        between: `both at version ${earlier.version}, which is one state`,
      },
    );
  }
  return stale(
    "*.records.agree",
    `${name} at its current version ${current.version}`,
    inFields(rules, current, shown, versionField),
  );
}

/** A new version of a record that only mutations change, though no mutation was served. */
function unexplainedVersion(name: string, current: RecordVersion, next: RecordVersion, rules: RecordRules): Comparison {
  const different = differences(rules.message, current.record, next.record).filter(
    (field) => field !== "resourceVersion" && field !== "updatedAt",
  );
  return mismatch(
    different.length > 0 ? "*.records.agree" : "*.versioning.reads-keep",
    `${name} at version ${current.version}, unchanged since the last mutation`,
    inFields(rules, current, next.record, [...different, ...versionField]),
  );
}

/** A new version of a record that may change by itself. */
function compareWithNext(
  { name, noEffectCalls, changes }: TrackedRecord,
  current: RecordVersion,
  next: RecordVersion,
  rules: RecordRules,
): Comparison {
  const [before, after] = [current.record, next.record];
  const done = rules.mutationOf(before, after);
  // What was served before may take effect a moment later.
  const refusedHadEffect = noEffectCalls.length > 0 && done !== undefined && !changes.has(done);
  const forbidden: ForbiddenChange | undefined = refusedHadEffect
    ? { clause: "*.versioning.expected", expected: `${name} unchanged by the call` }
    : rules.forbiddenChange(before, after);
  if (forbidden !== undefined)
    return mismatch(forbidden.clause, forbidden.expected, inFields(rules, current, after, ["state"]));
  const different = differences(rules.message, before, after, constantFields(rules));
  if (different.length === 0) return { is: "advanced", version: next };
  return mismatch(
    "*.records.agree",
    `${name} with ${showFields(before, different)}, which no call changed`,
    inFields(rules, current, after, different),
  );
}
