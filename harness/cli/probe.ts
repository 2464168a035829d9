import { Effect, type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { RequestLimits } from "../case/order.ts";
import { createRequestGuard, RequestLimitReached } from "../runner/guard.ts";
import type { Target } from "../target/target.ts";
import { createWire } from "../wire/client.ts";
import type { Exchange } from "../wire/exchange.ts";

/** Asks a target, before a run, whether it is there: within what the run may send. */
export interface Prober {
  /** What a listing RPC of the package answers an empty request without a credential; undefined where no more may be sent. */
  ask(packageName: PackageName, baseUrl: string): Promise<Exchange | undefined>;
  /** Requests sent so far. */
  readonly sent: number;
  close(): Promise<void>;
}

/** The row that is asked: it changes nothing, and names nothing that may not be there. */
export function probedRow(packageName: PackageName): RpcRow {
  const row = rpcs.find((one) => one.package === packageName && one.effect === Effect.LIST);
  if (row === undefined) throw new Error(`${packageName} lists nothing`);
  return row;
}

/** Opens a prober of a target. Nothing is sent yet. */
export function createProber(target: Target, limits: RequestLimits): Prober {
  const wire = createWire(target.limits, target.tls);
  const guard = createRequestGuard(limits);
  return {
    async ask(packageName, baseUrl) {
      const url = baseUrl + probedRow(packageName).path;
      try {
        guard.admit({ url });
      } catch (error) {
        if (error instanceof RequestLimitReached) return undefined;
        throw error;
      }
      return wire.send({
        url,
        headers: [
          ["content-type", "application/json"],
          ["connect-protocol-version", "1"],
        ],
        body: new TextEncoder().encode("{}"),
      });
    },
    get sent() {
      return wire.count;
    },
    close: () => wire.close(),
  };
}
