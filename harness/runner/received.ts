import type { RpcRow } from "../../proto/rpcs.ts";
import type { Delivered, Hook } from "../webhooks/receiver.ts";
import { type Exchange, headersIn } from "../wire/exchange.ts";

/** A hook that is looked at: whose endpoints it is for, and how much of what came was judged. */
interface Watched {
  readonly hook: Pick<Hook, "url" | "delivered">;
  row: RpcRow;
  readonly by: string;
  judged: number;
  /** Something that came showed a breach: what shows it later is the same. */
  isBreached: boolean;
}

/** What the webhook receiver of a run got, and who judges it. */
export interface Received {
  /** Has everything judged that comes to a hook, as `row` makes its endpoints, until the returned function is called. */
  watch(hook: Watched["hook"], row: RpcRow, by: string): () => void;
  /** Has what comes from now on to a case's hooks judged as `row` sends it again, where nothing before showed a breach. */
  sendsAgain(row: RpcRow, by: string): void;
  /** Judges what came since, to every hook. */
  look(): void;
}

/** The address a request came to: that of its hook, with the path and query that the target has put behind it. */
export function addressOf({ target }: Pick<Delivered, "target">, url: string): string {
  const name = new URL(url).pathname.split("/").at(-1) ?? "";
  const at = target.indexOf(name);
  return at === -1 ? url : url + target.slice(at + name.length);
}

/** A request as the exchange it was, with our receiver's answer. */
function exchangeOf(delivered: Delivered, url: string): Exchange {
  const { method, headers, body, at, answered } = delivered;
  return {
    number: 0,
    rpc: undefined,
    request: { method, url: addressOf(delivered, url), headers: headersIn(headers), body },
    response: { status: answered, headers: [], trailers: [], chunks: [], ended: true },
    failure: undefined,
    startedAt: at,
    durationMs: 0,
  };
}

/**
 * Looks at all that comes to hooks, each request once: redeliveries and retries as well as what a case waits for.
 *
 * @param judge returns whether it showed a breach
 */
export function createReceived(judge: (row: RpcRow, exchange: Exchange, by: string) => boolean): Received {
  const all = new Set<Watched>();

  function lookAt(watched: Watched): void {
    const { hook, row, by } = watched;
    for (const request of hook.delivered.slice(watched.judged)) {
      watched.judged += 1;
      watched.isBreached = judge(row, exchangeOf(request, hook.url), by) || watched.isBreached;
    }
  }

  return {
    watch(hook, row, by) {
      const watched = { hook, row, by, judged: 0, isBreached: false };
      all.add(watched);
      return () => {
        if (all.delete(watched)) lookAt(watched);
      };
    },
    sendsAgain(row, by) {
      for (const watched of [...all].filter((one) => one.by === by)) {
        lookAt(watched);
        if (!watched.isBreached) watched.row = row;
      }
    },
    look() {
      for (const watched of all) lookAt(watched);
    },
  };
}
