import type { JsonObject } from "@bufbuild/protobuf";
import { changingRowOf, listRowOf, readRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { findRecord, listPages } from "../setup/listing.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import { sameJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** What never comes to be seen is not late, and others say so: it is waited for no longer, in milliseconds. */
const maxMs = 2000;

/** A first look that was answered later than so many milliseconds after the making says nothing of shorter lags. */
const promptMs = 50;

/** Kinds of which a record just made need not be listed: which states of an artifact are is not shown. */
const listedLater: readonly string[] = ["artifact"];

/** How something was seen. */
export interface Sight {
  /** After how many milliseconds it was seen where it was not at the first look; zero where it was, or never. */
  readonly lateMs: number;
  /** Whether the first look was answered soon enough to tell. */
  readonly promptly: boolean;
}

/** Nothing to look at, so nothing is late. */
const atOnce: Sight = { lateMs: 0, promptly: true };

/** What was seen latest of all, promptly where all was. */
function latestOf(sights: readonly Sight[]): Sight {
  return {
    lateMs: Math.max(...sights.map(({ lateMs }) => lateMs)),
    promptly: sights.every(({ promptly }) => promptly),
  };
}

/** How it is seen what was changed at a time on the clock of `performance.now`: just now, unless told otherwise. */
async function sightOf(
  { poll, target }: CaseContext,
  isSeen: () => Promise<boolean>,
  since = performance.now(),
): Promise<Sight> {
  let looks = 0;
  let promptly = false;
  const seen = await poll(
    async () => {
      looks += 1;
      const found = await isSeen();
      if (looks === 1) promptly = performance.now() - since <= promptMs;
      return found || undefined;
    },
    Math.min(maxMs, target.settings.patience.settleMs),
  );
  // What never comes to be seen is not looked for again.
  return { lateMs: seen === true && looks > 1 ? performance.now() - since : 0, promptly: promptly || seen !== true };
}

/**
 * Whether a listing shows a subject. One that cannot be read to its end shows nothing late; so does one that the target
 * refuses without a filter: that it has to be asked for is learnt with things that are looked at here.
 */
async function isListed(context: CaseContext, { kind, id, within, baseUrl }: Subject): Promise<boolean> {
  const list = listRowOf(kind, context.row.package);
  if (list === undefined || listedLater.includes(kind)) return true;
  const found = (records: readonly JsonObject[]) => findRecord(records, list, id) !== undefined;
  const request = { ...context.setup.tenant(), ...within, page: { pageSize: 100 } };
  try {
    return found((await listPages(context, list, request, { baseUrl }, found)).records);
  } catch {
    return true;
  }
}

/** How a thing is seen, by itself and in its listing, that a call has just made. */
async function sightOfMade(context: CaseContext, made: Subject, since?: number): Promise<Sight> {
  return latestOf(
    await Promise.all([
      sightOf(context, async () => (await context.setup.read(made)).outcome !== "refused", since),
      sightOf(context, () => isListed(context, made), since),
    ]),
  );
}

/** How a change of a subject is seen that a call has just made. Seen at once where it moved no version. */
async function sightOfChange(context: CaseContext, reply: Reply, changed: Subject, since?: number): Promise<Sight> {
  const { row, request } = reply;
  const before = textAt(request, row.expectedVersion?.name ?? "") || "0";
  if (row.record !== undefined && versionOf(recordIn(reply)) === before) return atOnce;
  return sightOf(context, async () => (await context.setup.current(changed))?.version !== before, since);
}

/** What a look at the readings of something learns that a call has made or changed; undefined where it did neither. */
export function whatIsSeen({ row, request }: Reply, { setup }: CaseContext): string | undefined {
  // Of another tenant nothing is read as the own one.
  const isOwn = Object.entries(setup.tenant()).every(([name, value]) => sameJson(request[name], value));
  if (!isOwn) return undefined;
  if (row.effect === Effect.CREATE && row.record !== undefined) return `new ${row.subject}`;
  return row.expectedVersion === undefined ? undefined : `changed ${row.subject}`;
}

/** How it is seen what a call has made or changed, at a time on the clock of `performance.now`. */
export async function sightOfReply(context: CaseContext, reply: Reply, since: number): Promise<Sight> {
  const { setup } = context;
  const { row } = reply;
  // What a row makes may be read at another base URL.
  const baseUrl = await setup.homeUrl(readRowOf(row.subject, row.package) ?? row);
  const subject = { ...setup.subjectIn(reply), baseUrl };
  return row.effect === Effect.CREATE
    ? sightOfMade(context, subject, since)
    : sightOfChange(context, reply, subject, since);
}

/** Changes a thing where there is a way to set or to rotate it: how that is seen. */
async function sightOfOwnChange(context: CaseContext, made: Subject, creating: RpcRow): Promise<Sight> {
  const row = changingRowOf(creating, Change.SETS) ?? changingRowOf(creating, Change.ROTATES);
  if (row === undefined) return atOnce;
  const { baseUrl } = made;
  const reply = await context.call(row, await context.setup.request(row, made), { baseUrl });
  return reply.outcome === "served" ? sightOfChange(context, reply, made) : atOnce;
}

/** Makes a thing of a kind, looks for it, by itself and in its listing, and changes it. */
export async function sightOfOwn(context: CaseContext, kind: string): Promise<Sight> {
  const creating = context.row.peers.find(({ effect, subject }) => effect === Effect.CREATE && subject === kind);
  if (creating === undefined) throw new Error(`nothing makes a ${kind}`);
  const made = await context.setup.fresh(kind);
  return latestOf([await sightOfMade(context, made), await sightOfOwnChange(context, made, creating)]);
}
