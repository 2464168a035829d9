import type { JsonObject } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { isDefault, sameJson, showJson, textAt } from "../wire/json.ts";
import { versionNumber } from "./watch.ts";

/** Fields of a record in which what it comes to by itself shows: whether progress moves the version is open. */
const steps = ["state", "attemptCount"];

/**
 * Breaches of `records.agree`: one RPC showed a record twice at one version and otherwise, though it had changed by itself.
 *
 * @param shown the record as one RPC showed it, in order
 * @param at path of the record, for the breaches
 */
export function judgeSelfChanges(shown: readonly JsonObject[], at: string): Breach[] {
  return shown.slice(1).flatMap((record, index): Breach[] => {
    const before = shown[index] ?? {};
    const field = steps.find((name) => !sameJson(record[name] ?? null, before[name] ?? null));
    if (field === undefined || !sameJson(record.resourceVersion ?? "0", before.resourceVersion ?? "0")) return [];
    const expected = `${showJson(before[field])}, as shown before at version ${showJson(record.resourceVersion)}, or another version`;
    return [{ clause: "*.records.agree", at: `${at}.${field}`, expected, actual: showJson(record[field]) }];
  });
}

/** Breaches of a clause: a record that was shown at a later version counts fewer attempts than before. */
export function judgeAttemptOrder(shown: readonly JsonObject[], clause: string, at: string): Breach[] {
  return shown.slice(1).flatMap((record, index): Breach[] => {
    const before = shown[index] ?? {};
    const [now, then] = [record, before].map(({ resourceVersion }) => versionNumber(resourceVersion) ?? 0n);
    const [count, least] = [record, before].map(({ attemptCount }) => Number(attemptCount ?? 0)) as [number, number];
    // An older reading may come later.
    if ((now ?? 0n) < (then ?? 0n) || count >= least) return [];
    const expected = `${least} or more, as shown before`;
    return [{ clause, at: `${at}.attemptCount`, expected, actual: String(count) }];
  });
}

/**
 * Breaches of a clause: a job that succeeded counts no more attempts than when it waited for its next one. Attempts may be counted
 * as they are planned, begun or ended: only a count that was the same before, while the job ran, is one of attempts that were made.
 */
export function judgeNextAttempt(shown: readonly JsonObject[], clause: string, at: string): Breach[] {
  const last = shown.at(-1) ?? {};
  const count = Number(last.attemptCount ?? 0);
  if (count === 0 || !textAt(last, "state").endsWith("_SUCCEEDED")) return [];
  const isAt = (record: JsonObject, state: string) =>
    textAt(record, "state").endsWith(state) && Number(record.attemptCount ?? 0) === count;
  const ran = shown.findIndex((record) => isAt(record, "_RUNNING"));
  const version = versionNumber(shown[ran]?.resourceVersion) ?? 0n;
  // An older reading may come later.
  const waited = shown
    .slice(ran + 1)
    .some(
      (record) =>
        isAt(record, "_QUEUED") &&
        !isDefault(record.nextAttemptAt) &&
        (versionNumber(record.resourceVersion) ?? 0n) > version,
    );
  if (ran < 0 || !waited) return [];
  const expected = `more than ${count}, as before its next attempt`;
  return [{ clause, at: `${at}.attemptCount`, expected, actual: String(count) }];
}
