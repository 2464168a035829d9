import { isReadOnly, type PackageName } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import type { Depth } from "../case/result.ts";
import type { ReadLag as CaseReadLag } from "../case/run.ts";
import type { Reply } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";
import { sightOfOwn, sightOfReply, whatIsSeen } from "./read-sight.ts";

/**
 * How far what a target shows is behind what it was told. The contract does not say that a reading shows at once what
 * was written before it: a store may be read from a copy. Cases are written as if it did, and wait after each change.
 */
export interface ReadLag extends CaseReadLag {
  /** Returns once a reading shows what a call has changed, as far as the lag is known. */
  catchUp(context: CaseContext, reply: Reply, call: CallOptions): Promise<void>;
}

/** What is made first to see whether readings lag: of a kind that takes nothing else to be made. */
const sampleKinds: Readonly<Record<PackageName, string>> = { "alpha.v1": "secret", "beta.v1": "webhook_endpoint" };

/** How much is made to see whether readings lag. */
export interface LagSampling {
  /** How many things are made and read: one may be read from where it was written. */
  readonly samples: number;
  /** How often each is made and looked at until a look comes promptly: on a busy machine the first may not. */
  readonly maxTries: number;
  /** Whether each kind is looked at by itself, as it may be kept in a store of its own. */
  readonly everyKind: boolean;
}

/** What a run of a depth makes: smoke counts its requests, and pauses before each look, so that none comes promptly. */
export function samplingOf(depth: Depth, skipsCleanup: boolean): LagSampling {
  if (depth === "smoke") return { samples: 1, maxTries: 1, everyKind: false };
  return { samples: skipsCleanup ? 1 : 3, maxTries: 4, everyKind: true };
}

/** How long after each other the samples are made, in milliseconds. */
const apartMs = 40;

/** Looks once more, one after the other, where one was late: what is copied now and then is late by chance. */
const further = 3;

/** How long a look at what a case made is waited for, in milliseconds: what it asks first may be learnt in that very call. */
const lookMs = 3000;

/** How many of a kind are looked at, at most: where one comes promptly, and at once, it is the last. */
const mostLooks = 16;

/** Milliseconds until readings and listings show what was made or changed. */
async function measure(context: CaseContext, kind: string, maxTries: number): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { lateMs, promptly } = await sightOfOwn(context, kind);
    if (lateMs > 0) {
      let most = lateMs;
      for (let again = 0; again < further; again += 1) most = Math.max(most, (await sightOfOwn(context, kind)).lateMs);
      return most;
    }
    if (promptly) return 0;
  }
  return 0;
}

/** What is learnt of one kind of record from what cases make and change: how many looks are left, and the one under way. */
interface Looks {
  left: number;
  underWay?: Promise<void>;
}

/**
 * Measured first with things of its own: that it is read may be what is wrong with a thing. Each kind may be kept in a store
 * of its own, so that of every other one what a case makes and changes first is looked at.
 */
export function createReadLag({ samples, maxTries, everyKind }: LagSampling): ReadLag {
  const known = new Map<PackageName, number>();
  const measured = new Map<PackageName, Promise<void>>();
  const measuring = new WeakSet<CaseContext>();
  const looks = new Map<string, Looks>();

  function note(context: CaseContext, lateMs: number): void {
    if (lateMs <= 0) return;
    context.observe("*.open.consistency", "readings lag behind what was written");
    const name = context.row.package;
    known.set(name, Math.max(lateMs * 1.5 + 20, known.get(name) ?? 0));
  }

  /** Learns in a context of its own. Where nothing can be made or read, nothing is late. */
  function learn(context: CaseContext, look: (outer: CaseContext) => Promise<void>): Promise<void> {
    const measure = (outer: CaseContext) => {
      measuring.add(outer);
      return look(outer);
    };
    return context.shared(measure, "reads at once").catch(() => undefined);
  }

  async function learnFirst(context: CaseContext): Promise<void> {
    const name = context.row.package;
    const learning =
      measured.get(name) ??
      learn(context, async (outer) => {
        // What is copied now and then may be copied just before one of them looks.
        const late = await Promise.all(
          Array.from({ length: samples }, async (_, index) => {
            await sleep(index * apartMs, outer.signal);
            return measure(outer, sampleKinds[name], maxTries);
          }),
        );
        note(outer, Math.max(...late));
      });
    measured.set(name, learning);
    await learning;
  }

  /** Looks once at what a call made or changed, at a time on the clock of `performance.now`. */
  function lookAt(context: CaseContext, reply: Reply, changedAt: number, of: Looks): Promise<void> {
    of.left -= 1;
    const over = new AbortController();
    const look = learn(context, async (outer) => {
      const { lateMs, promptly } = await sightOfReply(outer, reply, changedAt);
      note(outer, lateMs);
      if (lateMs > 0) of.left = Math.min(of.left, further);
      else if (promptly) of.left = 0;
    });
    const tooLong = sleep(lookMs, AbortSignal.any([over.signal, context.signal])).then(() => {
      if (!over.signal.aborted) of.left = 0;
    });
    return Promise.race([look, tooLong]).finally(() => over.abort());
  }

  /**
   * Looks at what a call made or changed, unless enough was looked at of its kind. Where a look at another's tells nothing, as it
   * came too late, looks at this one as well: its case goes on once it is shown.
   *
   * @param changedAt when the call was answered, on the clock of `performance.now`
   */
  async function learnKind(context: CaseContext, reply: Reply, changedAt: number): Promise<void> {
    const what = whatIsSeen(reply, context);
    const name = reply.row.package;
    if (what === undefined || reply.row.subject === sampleKinds[name]) return;
    const key = `${name} ${what}`;
    const of: Looks = looks.get(key) ?? { left: mostLooks };
    looks.set(key, of);
    while (of.underWay !== undefined) {
      await of.underWay;
      if (of.left === 0 || behind(name) > 0) return;
    }
    if (of.left === 0) return;
    of.underWay = lookAt(context, reply, changedAt, of).finally(() => {
      of.underWay = undefined;
    });
    await of.underWay;
  }

  const behind = (name: PackageName) => known.get(name) ?? 0;
  async function pass(name: PackageName, signal: AbortSignal): Promise<void> {
    const ms = behind(name);
    if (ms > 0) await sleep(ms, signal);
  }

  return {
    async catchUp(context, reply, { unread }) {
      const { outcome, row } = reply;
      if (outcome !== "served" || isReadOnly(row) || unread === true || measuring.has(context)) return;
      // Learning of the first things takes long enough for others to be shown.
      const changedAt = performance.now();
      await learnFirst(context);
      if (everyKind && unread === undefined) await learnKind(context, reply, changedAt);
      await pass(row.package, context.signal);
    },
    pass,
    behind,
  };
}
