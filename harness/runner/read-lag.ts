import type { JsonObject } from "@bufbuild/protobuf";
import { changingRowOf, listRowOf } from "../../proto/resources.ts";
import { Change, isReadOnly, type PackageName } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Depth } from "../case/result.ts";
import type { ReadLag as CaseReadLag } from "../case/run.ts";
import type { Subject } from "../case/setup.ts";
import { findRecord, listAll, recordIn, versionOf } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";

/**
 * How far what a target shows is behind what it was told. The contract does not say that a reading shows at once what
 * was written before it: a store may be read from a copy. Cases are written as if it did, and wait after each change.
 */
export interface ReadLag extends CaseReadLag {
  /** Returns once a reading shows what a call has changed, as far as the lag is known. */
  catchUp(context: CaseContext, reply: Reply): Promise<void>;
}

/** What is made and read at once to see whether readings lag: of a kind that takes nothing else to be made. */
const sampleKinds: Readonly<Record<PackageName, string>> = { "alpha.v1": "secret", "beta.v1": "webhook_endpoint" };

/** What never comes to be seen is not late, and others say so: it is waited for no longer, in milliseconds. */
const maxMs = 2000;

/** A first look that was answered later than so many milliseconds after the making says nothing of shorter lags. */
const promptMs = 50;

/** How much is made to see whether readings lag. */
export interface LagSampling {
  /** How many things are made and read: one may be read from where it was written. */
  readonly samples: number;
  /** How often each is made and looked at until a look comes promptly: on a busy machine the first may not. */
  readonly maxTries: number;
}

/** What a run of a depth makes: smoke counts its requests, and pauses before each look, so that none comes promptly. */
export function samplingOf(depth: Depth, skipsCleanup: boolean): LagSampling {
  if (depth === "smoke") return { samples: 1, maxTries: 1 };
  return { samples: skipsCleanup ? 1 : 3, maxTries: 4 };
}

/** How long after each other the samples are made, in milliseconds. */
const apartMs = 40;

/** How something was seen: late where it was not at the first look, and was later. */
interface Sight {
  readonly late: boolean;
  /** Whether the first look was answered soon enough to tell. */
  readonly promptly: boolean;
}

async function sightOf({ poll, target }: CaseContext, since: number, isSeen: () => Promise<boolean>): Promise<Sight> {
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
  return { late: seen === true && looks > 1, promptly: promptly || seen !== true };
}

/** Whether a listing shows a subject. One that cannot be read to its end shows nothing late. */
async function isListed(context: CaseContext, { kind, id }: Subject): Promise<boolean> {
  const { setup, row } = context;
  const list = listRowOf(kind, row.package);
  if (list === undefined) return true;
  const found = (records: readonly JsonObject[]) => findRecord(records, list, id) !== undefined;
  const request = { ...(await setup.request(list, undefined)), page: { pageSize: 100 } };
  try {
    return found((await listAll(context, list, request, {}, found)).records);
  } catch {
    return true;
  }
}

/** Looks whether readings show at once that a thing was changed, where something changes it. Seen at once where nothing is shown. */
async function sightOfChange(context: CaseContext, made: Subject): Promise<Sight> {
  const { setup, call, row: about } = context;
  const own = about.peers.find((one) => one.subject === made.kind);
  const row = own && (changingRowOf(own, Change.SETS) ?? changingRowOf(own, Change.ROTATES));
  if (row === undefined) return { late: false, promptly: true };
  const reply = await call(row, await setup.request(row, made));
  const version = versionOf(recordIn(reply));
  if (reply.outcome !== "served" || version === made.version) return { late: false, promptly: true };
  return sightOf(context, performance.now(), async () => {
    const read = await setup.read(made);
    return read.outcome !== "served" || versionOf(recordIn(read)) !== made.version;
  });
}

/** One thing that is made, and then changed: how it was seen, and after how many milliseconds it was where that was late. */
interface Look {
  readonly lateMs: number;
  readonly promptly: boolean;
}

/** Makes a thing, looks for it, by itself and in its listing, and changes it. */
async function lookOnce(context: CaseContext, name: PackageName): Promise<Look> {
  const { setup } = context;
  const made = await setup.fresh(sampleKinds[name]);
  const begun = performance.now();
  const created = await Promise.all([
    sightOf(context, begun, async () => (await setup.read(made)).outcome !== "refused"),
    sightOf(context, begun, () => isListed(context, made)),
  ]);
  const createdMs = created.some(({ late }) => late) ? performance.now() - begun : 0;
  const since = performance.now();
  const changed = await sightOfChange(context, made);
  const changedMs = changed.late ? performance.now() - since : 0;
  return { lateMs: Math.max(createdMs, changedMs), promptly: [...created, changed].every(({ promptly }) => promptly) };
}

/** Looks once more, one after the other, where one was late: what is copied now and then is late by chance. */
const further = 3;

/** Milliseconds until readings and listings show what was made or changed. */
async function measure(context: CaseContext, name: PackageName, maxTries: number): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { lateMs, promptly } = await lookOnce(context, name);
    if (lateMs > 0) {
      context.observe("*.open.consistency", "readings lag behind what was written");
      let most = lateMs;
      for (let again = 0; again < further; again += 1) most = Math.max(most, (await lookOnce(context, name)).lateMs);
      return most;
    }
    if (promptly) return 0;
  }
  return 0;
}

/**
 * Measured with things of its own: that it is read may be what is wrong with a thing.
 */
export function createReadLag({ samples, maxTries }: LagSampling): ReadLag {
  const known = new Map<string, number>();
  const measured = new Map<string, Promise<void>>();
  const measuring = new WeakSet<CaseContext>();

  async function learn(context: CaseContext, name: PackageName): Promise<void> {
    measuring.add(context);
    // What is copied now and then may be copied just before one of them looks.
    const late = await Promise.all(
      Array.from({ length: samples }, async (_, index) => {
        await sleep(index * apartMs, context.signal);
        return measure(context, name, maxTries);
      }),
    );
    const most = Math.max(...late);
    if (most > 0) known.set(name, most * 1.5 + 20);
  }

  const behind = (name: PackageName) => known.get(name) ?? 0;
  async function pass(name: PackageName, signal: AbortSignal): Promise<void> {
    const ms = behind(name);
    if (ms > 0) await sleep(ms, signal);
  }

  return {
    async catchUp(context, { outcome, row }) {
      if (outcome !== "served" || isReadOnly(row) || measuring.has(context)) return;
      const name = row.package;
      const learning =
        measured.get(name) ??
        // Where nothing can be made, nothing is late.
        context.shared((outer) => learn(outer, name), "reads at once").catch(() => undefined);
      measured.set(name, learning);
      await learning;
      await pass(name, context.signal);
    },
    pass,
    behind,
  };
}
