import type { CaseContext } from "../case/context.ts";
import type { LateMoves } from "../case/run.ts";
import type { Subject } from "../case/setup.ts";
import { instantOf } from "../wire/json.ts";
import { sleep } from "../wire/sleep.ts";

/** How long the first of a kind that has ended is watched for moving once more, and how often it is looked at, in milliseconds. */
const [watchMs, lookMs] = [700, 175];

/** How long what has ended is waited for at most, in milliseconds, however late another was met to move. */
const maxWaitMs = 1500;

/** How many of a kind are watched: one may have moved before it was seen. */
const enough = 3;

/** Times of one record so far apart were not written at once, in milliseconds. */
const apartMs = 20;

/**
 * How long after its end a record tells that it was changed, in milliseconds; 0 where it tells no such thing. On a busy machine
 * one is perhaps seen only once it has moved.
 */
function movedBefore({ record }: Subject): number {
  const [end, change] = [instantOf(record.completedAt ?? record.deliveredAt), instantOf(record.updatedAt)];
  if (end === undefined || change === undefined) return 0;
  const ms = Number(change - end) / 1e6;
  return ms < apartMs ? 0 : Math.min(ms, watchMs);
}

/** When its version moved last though nobody called anything, in milliseconds; 0 where it stood still. */
async function watch({ setup, signal }: CaseContext, ended: Subject): Promise<number> {
  const since = performance.now();
  let [known, moved] = [ended.version, movedBefore(ended)];
  while (performance.now() - since < watchMs && !signal.aborted) {
    await sleep(lookMs, signal);
    const now = await setup.current(ended);
    if (now === undefined) return moved;
    if (now.version !== known) moved = performance.now() - since;
    known = now.version;
  }
  return moved;
}

/**
 * Learns with the first of each kind that have ended whether they move once more: how versions step, and what is still written
 * once work is done, is open. Only what moves soon is found so; a case that meets a rarer move is red.
 *
 * @param isOff takes everything to stand still once it has ended
 */
export function createLateMoves(isOff: boolean): LateMoves {
  const kinds = new Map<string, { readonly samples: Promise<number>[]; watchedAt: number }>();

  async function learn(context: CaseContext, ended: Subject): Promise<number> {
    const moved = await context.shared((outer) => watch(outer, ended));
    if (moved === 0) return 0;
    context.observe("*.open.version-step", `the version of a ${ended.kind} moves once more after its end`);
    return moved * 1.5 + lookMs;
  }

  async function waited(context: CaseContext, ended: Subject, ms: number): Promise<Subject> {
    await sleep(ms, context.signal);
    return (await context.setup.current(ended)) ?? ended;
  }

  /** What is known of a kind, by the name of its package and its own. */
  function kindOf({ row }: CaseContext, ended: Subject) {
    const key = `${row.package} ${ended.kind}`;
    const kind = kinds.get(key) ?? { samples: [], watchedAt: Number.NEGATIVE_INFINITY };
    kinds.set(key, kind);
    return { key, kind };
  }

  return {
    met(context, ended, ms) {
      const wait = Math.min(maxWaitMs, ms * 1.5 + lookMs);
      kindOf(context, ended).kind.samples.push(Promise.resolve(wait));
      context.observe("*.open.version-step", `the version of a ${ended.kind} moves once more after its end`);
    },
    async isKnown(context, ended) {
      return (await Promise.all(kindOf(context, ended).kind.samples)).some((ms) => ms > 0);
    },
    async stood(context, ended) {
      if (isOff) return ended;
      const { key, kind } = kindOf(context, ended);
      const { samples } = kind;
      if (samples.length < enough) {
        const now = performance.now();
        // What comes of work that was watched is perhaps seen late: it says nothing of how soon it moves.
        const isLate = [...kinds].some(([name, { watchedAt }]) => name !== key && now - watchedAt < 2 * watchMs);
        if (isLate) return waited(context, ended, watchMs);
        kind.watchedAt = now;
        // Nor does what cannot be read.
        samples.push(learn(context, ended).catch(() => 0));
      }
      const ms = Math.max(...(await Promise.all(samples)));
      return ms === 0 ? ended : waited(context, ended, ms);
    },
  };
}
