import type { JsonObject } from "@bufbuild/protobuf";
import { findRecord, versionOf } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import type { Held, Kind } from "./family.ts";
import type { History } from "./history.ts";
import { listRecords, showRecord } from "./show.ts";
import { compare, type Sight, type Suspect } from "./thing.ts";

/** Reads a thing until it is no longer behind, or patience ends. */
export async function look(history: History, one: Held): Promise<void> {
  const { context, patience } = history;
  const { thing, kind } = one;
  const replies: Reply[] = [];
  let sight: Sight | undefined;
  const settled = await context.until(async () => {
    const { reply, record } = await showRecord(context, kind, one.subject);
    replies.push(reply);
    sight = compare(thing, record, record === undefined ? "" : versionOf(record), kind.nature);
    return sight.is === "behind" ? undefined : sight;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined || sight === undefined) return;
  history.tell(`read ${thing.name}`, replies);
  if (settled === undefined) patience.spend();
  await conclude(history, one, reply, sight);
}

/**
 * Judges what a reading showed. Where calls that must have had no effect came before, they are to blame, unless the next
 * reading shows all as it should be.
 */
async function conclude(history: History, one: Held, reply: Reply, sight: Sight): Promise<void> {
  const { context, enter, unseen } = history;
  const { thing, kind } = one;
  if (sight.is === "moved") thing.stages.push(sight.stage);
  if (sight.is === "right" || sight.is === "moved") {
    enter({ reply, clause: "*.records.agree", held: true, expected: "", seen: () => "" });
    thing.suspects = [];
    thing.seen = true;
    unseen.delete(one);
    return;
  }
  // A stage no reading has shown yet was perhaps never stored, and nothing took it back.
  const never = sight.is === "behind" && !thing.ended && !thing.seen;
  let suspect: Suspect | undefined = never ? undefined : thing.suspects.at(-1);
  if (suspect !== undefined && sight.is === "wrong") {
    const { record } = await showRecord(context, kind, one.subject);
    const next = compare(thing, record, record === undefined ? "" : versionOf(record), kind.nature);
    if (next.is === "right") suspect = undefined;
  }
  const { clause, expected, seen } = sight;
  if (suspect === undefined) enter({ reply, clause, held: false, expected, seen: () => seen });
  else enter({ ...suspect, held: false, expected: `no effect: ${expected}`, seen: () => seen, related: [reply] });
}

/** Lists a kind until no thing is behind: the live are there, as they are, and the deleted are not. */
export async function list(history: History, kind: Kind): Promise<void> {
  const { context, patience, held } = history;
  const { lists } = kind;
  const mine = held.filter((one) => one.kind === kind);
  const [any] = mine;
  if (lists === undefined || any === undefined) return;
  const replies: Reply[] = [];
  let sights: readonly (readonly [Held, Sight])[] = [];
  const settled = await context.until(async () => {
    const found = (one: Held, seen: readonly JsonObject[]) => findRecord(seen, lists, one.thing.id);
    const alive = mine.every(({ thing }) => !thing.ended);
    const page = await listRecords(
      context,
      kind,
      any.subject,
      (seen) => alive && mine.every((one) => found(one, seen) !== undefined),
    );
    replies.push(...page.replies);
    sights = mine.flatMap((one): (readonly [Held, Sight])[] => {
      const record = found(one, page.records);
      // What stands on a page that was not turned to is not missing.
      if (record === undefined && !page.whole) return [];
      return [[one, compare(one.thing, record, record === undefined ? "" : versionOf(record), kind.nature)]];
    });
    return sights.every(([, sight]) => sight.is !== "behind") ? true : undefined;
  }, patience.ms);
  const reply = replies.at(-1);
  if (reply === undefined) return;
  history.tell(`list ${kind.kind.replaceAll("_", " ")}s`, replies);
  if (settled === undefined) patience.spend();
  for (const [one, sight] of sights) {
    if (history.broken) return;
    // A listing that leaves something out is a fault of listings.
    const missing = sight.is === "behind" && sight.clause === "*.endpoints.served";
    await conclude(history, one, reply, missing ? { ...sight, clause: "*.paging.traversal" } : sight);
  }
}
