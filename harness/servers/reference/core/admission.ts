import { Cost } from "../../../../proto/rpcs.ts";
import { type Context, principalOf, type World } from "./context.ts";
import { refuse } from "./refusal.ts";

/** What has been admitted so far. */
interface Counts {
  calls: number;
  /** Times of recent calls, by key. */
  readonly recent: Map<string, number[]>;
  /** Metered calls, by workspace. */
  readonly metered: Map<string, number>;
}

const counts = new WeakMap<World, Counts>();

function countsOf(world: World): Counts {
  const known = counts.get(world) ?? { calls: 0, recent: new Map(), metered: new Map() };
  counts.set(world, known);
  return known;
}

/** Refuses calls beyond the configured rate and quota, metered calls while billing is blocked, and every n-th call. */
export function admit(context: Context): void {
  const { world, row } = context;
  const { rateLimit, meteredQuota, billingBlocked, dependencyFailsEvery } = world.choices;
  const seen = countsOf(world);
  const { id, workspaceId } = principalOf(context);

  if (rateLimit !== undefined) {
    const now = world.clock.now();
    const recent = (seen.recent.get(id) ?? []).filter((at) => at > now - rateLimit.windowMs);
    seen.recent.set(id, recent);
    const [oldest = now] = recent;
    if (recent.length >= rateLimit.calls) {
      const retryAfterSeconds = Math.ceil((oldest + rateLimit.windowMs - now) / 1000);
      refuse("RATE_LIMITED", "too many calls", { retryAfterSeconds });
    }
    recent.push(now);
  }
  if (dependencyFailsEvery !== undefined && ++seen.calls % dependencyFailsEvery === 0) {
    refuse("DEPENDENCY_UNAVAILABLE", "a service this one needs is away", { retryAfterSeconds: 1 });
  }
  if (row.cost !== Cost.METERED && row.cost !== Cost.PROVIDER_COST_SETTLED) return;
  if (billingBlocked) refuse("BILLING_BLOCKED", "billing of the workspace is blocked");
  if (meteredQuota === undefined) return;
  const used = seen.metered.get(workspaceId) ?? 0;
  if (used >= meteredQuota)
    refuse("QUOTA_EXHAUSTED", "the workspace has used up its metered calls", { retryAfterSeconds: 3600 });
  seen.metered.set(workspaceId, used + 1);
}
