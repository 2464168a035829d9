import type { JsonObject } from "@bufbuild/protobuf";
import { recordFields, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { recordIn } from "../setup/subject.ts";
import type { TargetSettings } from "../target/schema.ts";
import { NotExercised } from "../target/target.ts";
import { showJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** Live endpoints of a tenant at most, where the target file does not say: a service may allow no more than a few. */
const usual = 20;

/** How long another is waited for, in milliseconds: by default and, as cases that have some may wait for each other's, at most. */
const [usualWaitMs, maxWaitMs] = [2000, 5000];
/** By default nobody waits longer than that, in milliseconds, while none comes or goes: all that have some wait for another, then. */
const standstillMs = 150;

/** Sees to it that a run has few webhook endpoints at a time: each call that may make one waits until another is gone. */
export interface EndpointPlaces {
  /**
   * Waits for a place in the request's tenant. Throws NotExercised where none comes free of those that the target file allows.
   * @returns what is told the reply once it is there; undefined where nobody waits for one
   */
  take(row: RpcRow, request: JsonObject): Promise<(reply: Reply | undefined) => void>;
}

interface Tenant {
  readonly live: Set<string>;
  /** Calls under way that may make another, by their requestId: a call and its replays make one. */
  readonly pending: Map<string, number>;
  readonly waiting: Set<() => void>;
}

/** Begins with no endpoint. */
export function createEndpointPlaces({ limits, patience }: TargetSettings): EndpointPlaces {
  const tenants = new Map<string, Tenant>();
  const limit = limits.endpoints ?? usual;
  const waitMs = limits.endpoints === undefined ? usualWaitMs : Math.min(patience.settleMs, maxWaitMs);

  function tenantOf({ workspaceId, appId }: JsonObject): Tenant {
    const key = `${textAt(workspaceId, "value")} ${textAt(appId, "value")}`.toLowerCase();
    const known = tenants.get(key) ?? { live: new Set(), pending: new Map(), waiting: new Set() };
    tenants.set(key, known);
    return known;
  }

  /** Waits until something changes; false once the time is up. */
  function change({ waiting }: Tenant, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(wake);
        resolve(false);
      }, ms);
      waiting.add(wake);
    });
  }

  function wake({ waiting }: Tenant): void {
    for (const one of [...waiting]) one();
  }

  return {
    async take(row, request) {
      if (row.subject !== "webhook_endpoint") return () => {};
      const tenant = tenantOf(request);
      if (row.effect === Effect.DELETE) {
        return (reply) => {
          if (reply?.outcome !== "served" || !tenant.live.delete(showJson(request[subjectFieldOf(row) ?? ""]))) return;
          wake(tenant);
        };
      }
      if (row.effect !== Effect.CREATE) return () => {};
      const until = performance.now() + waitMs;
      const { live, pending } = tenant;
      const id = showJson(request[row.requestId?.name ?? ""]);
      while (!pending.has(id) && live.size + pending.size >= limit) {
        const leftMs = Math.min(until - performance.now(), limits.endpoints === undefined ? standstillMs : maxWaitMs);
        if (leftMs > 0 && (await change(tenant, leftMs))) continue;
        if (limits.endpoints === undefined) break;
        throw new NotExercised("a higher limits.endpoints", `the ${limit} endpoints it allows are in use`);
      }
      pending.set(id, (pending.get(id) ?? 0) + 1);
      wake(tenant);
      return (reply) => {
        const left = (pending.get(id) ?? 1) - 1;
        if (left > 0) pending.set(id, left);
        else pending.delete(id);
        if (reply?.outcome === "served") live.add(showJson(recordIn(reply)[recordFields(row).id]));
        wake(tenant);
      };
    },
  };
}
