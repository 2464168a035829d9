import { Effect, type PackageName } from "../proto/rpcs.ts";
import { type CaseContext, sleep } from "./context.ts";
import type { Reply } from "./wire/reply.ts";

/**
 * How far what a target shows is behind what it was told. The contract does not say that a reading shows at once what
 * was written before it: a store may be read from a copy. Cases are written as if it did, and wait after each change.
 */
export interface Lag {
  /** Returns once a reading shows what a call has changed, as far as the lag is known. */
  catchUp(context: CaseContext, reply: Reply): Promise<void>;
  /** Milliseconds by which readings of a package's records are late, as far as is known. */
  behind(packageName: string): number;
}

/** What is made and read at once to see whether readings lag: of a kind that takes nothing else to be made. */
const samples: Readonly<Record<PackageName, string>> = { "alpha.v1": "secret", "beta.v1": "webhook_endpoint" };

/** How many are made: one may be read from where it was written. */
const mostSamples = 3;

/** What never comes to be seen is not late, and others say so: it is waited for no longer, in milliseconds. */
const mostMs = 2000;

const reading: readonly Effect[] = [Effect.READ, Effect.LIST, Effect.WATCH];

/** Milliseconds until a reading shows what was made; 0 where the first one does, or none. */
async function measure(context: CaseContext, name: PackageName): Promise<number> {
  const { given, target } = context;
  const made = await given.fresh(samples[name]);
  const since = performance.now();
  let looks = 0;
  const seen = await context.until(
    async () => {
      looks += 1;
      return (await given.read(made)).outcome === "refused" ? undefined : performance.now() - since;
    },
    Math.min(mostMs, target.settings.patience.settleMs),
  );
  if (looks === 1 || seen === undefined) return 0;
  context.note("*.open.consistency", "readings lag behind what was written");
  return seen;
}

/** Measured with things of its own: that it is read may be what is wrong with a thing. */
export function createLag(): Lag {
  const known = new Map<string, number>();
  const measured = new Map<string, Promise<void>>();
  const measuring = new WeakSet<CaseContext>();

  async function learn(context: CaseContext, name: PackageName): Promise<void> {
    measuring.add(context);
    const late = await Promise.all(Array.from({ length: mostSamples }, () => measure(context, name)));
    const most = Math.max(...late);
    if (most > 0) known.set(name, most * 1.5 + 20);
  }

  return {
    async catchUp(context, { outcome, row }) {
      if (outcome !== "served" || reading.includes(row.effect) || measuring.has(context)) return;
      const name = row.package;
      const learning =
        measured.get(name) ??
        // Where nothing can be made, nothing is late.
        context.apart((outer) => learn(outer, name), "reads at once").catch(() => undefined);
      measured.set(name, learning);
      await learning;
      const ms = known.get(name) ?? 0;
      if (ms > 0) await sleep(ms, context.signal);
    },
    behind: (name) => known.get(name) ?? 0,
  };
}
