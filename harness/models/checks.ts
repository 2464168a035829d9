import type { JsonObject } from "@bufbuild/protobuf";
import { findRecord, versionOf } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import type { ModelKind, ModelRecord } from "./model.ts";
import type { ModelRun } from "./model-run.ts";
import { listRecords, showRecord } from "./show.ts";
import { type Comparison, compare, type SuspectCall } from "./tracked-record.ts";

/** Reads a thing until it is no longer behind, or patience ends. */
export async function checkRecord(history: ModelRun, one: ModelRecord): Promise<void> {
  const { context, patience } = history;
  const { tracked, kind } = one;
  const replies: Reply[] = [];
  let sight: Comparison | undefined;
  const settled = await context.poll(async () => {
    const { reply, record } = await showRecord(context, kind, one.subject);
    replies.push(reply);
    sight = compare(tracked, record, record === undefined ? "" : versionOf(record), kind.rules);
    return sight.is === "behind" ? undefined : sight;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined || sight === undefined) return;
  history.log(`read ${tracked.name}`, replies);
  if (settled === undefined) patience.spend();
  await conclude(history, one, reply, sight);
}

/**
 * Judges what a reading showed. Where calls that must have had no effect came before, they are to blame, unless the next
 * reading shows all as it should be.
 */
async function conclude(history: ModelRun, one: ModelRecord, reply: Reply, sight: Comparison): Promise<void> {
  const { context, enter, unseen } = history;
  const { tracked, kind } = one;
  if (sight.is === "moved") tracked.stages.push(sight.stage);
  if (sight.is === "right" || sight.is === "moved") {
    enter({ reply, clause: "*.records.agree", held: true, expected: "", seen: () => "" });
    tracked.suspects = [];
    tracked.seen = true;
    unseen.delete(one);
    return;
  }
  // A stage no reading has shown yet was perhaps never stored, and nothing took it back.
  const never = sight.is === "behind" && !tracked.ended && !tracked.seen;
  let suspect: SuspectCall | undefined = never ? undefined : tracked.suspects.at(-1);
  if (suspect !== undefined && sight.is === "wrong") {
    const { record } = await showRecord(context, kind, one.subject);
    const next = compare(tracked, record, record === undefined ? "" : versionOf(record), kind.rules);
    if (next.is === "right") suspect = undefined;
  }
  const { clause, expected, seen } = sight;
  if (suspect === undefined) enter({ reply, clause, held: false, expected, seen: () => seen });
  else enter({ ...suspect, held: false, expected: `no effect: ${expected}`, seen: () => seen, related: [reply] });
}

/** Lists a kind until no thing is behind: the live are there, as they are, and the deleted are not. */
export async function checkListing(history: ModelRun, kind: ModelKind): Promise<void> {
  const { context, patience, records } = history;
  const { lists } = kind;
  const mine = records.filter((one) => one.kind === kind);
  const [any] = mine;
  if (lists === undefined || any === undefined) return;
  const replies: Reply[] = [];
  let sights: readonly (readonly [ModelRecord, Comparison])[] = [];
  const settled = await context.poll(async () => {
    const found = (one: ModelRecord, seen: readonly JsonObject[]) => findRecord(seen, lists, one.tracked.id);
    const alive = mine.every(({ tracked }) => !tracked.ended);
    const page = await listRecords(
      context,
      kind,
      any.subject,
      (seen) => alive && mine.every((one) => found(one, seen) !== undefined),
    );
    replies.push(...page.replies);
    sights = mine.flatMap((one): (readonly [ModelRecord, Comparison])[] => {
      const record = found(one, page.records);
      // What stands on a page that was not turned to is not missing.
      if (record === undefined && !page.whole) return [];
      return [[one, compare(one.tracked, record, record === undefined ? "" : versionOf(record), kind.rules)]];
    });
    return sights.every(([, sight]) => sight.is !== "behind") ? true : undefined;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined) return;
  history.log(`list ${kind.kind.replaceAll("_", " ")}s`, replies);
  if (settled === undefined) patience.spend();
  for (const [one, sight] of sights) {
    if (history.broken) return;
    // A listing that leaves something out is a fault of listings.
    const missing = sight.is === "behind" && sight.clause === "*.endpoints.served";
    await conclude(history, one, reply, missing ? { ...sight, clause: "*.paging.traversal" } : sight);
  }
}
