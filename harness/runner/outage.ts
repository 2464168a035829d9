import type { Exchange } from "../wire/exchange.ts";
import { httpText } from "../wire/http-text.ts";
import type { TlsTrust } from "../wire/request.ts";
import { sleep } from "../wire/sleep.ts";
import { openSocket } from "../wire/socket.ts";

/** Tells calls that failed because the target was away for a while from those that it failed. */
export interface Outages {
  /**
   * Looks whether an exchange without a response failed because the target is away, and then waits until it is back.
   *
   * @returns from when to when it was away, as a sentence; undefined where it was there
   */
  check(exchange: Exchange, signal: AbortSignal): Promise<string | undefined>;
  /** Why the target is asked no more: it stayed away for longer than it is waited for. */
  readonly givenUp: string | undefined;
}

/** Between two looks, and how long one may take, in milliseconds. */
const [everyMs, lookMs] = [100, 1000];
/** A target that was there so many milliseconds ago is not looked for again. */
const freshMs = 500;
/** How long before the first call that was seen to fail an outage may have begun, in milliseconds: they are not seen in order. */
const slackMs = 1000;

const clock = (ms: number) => new Date(ms).toISOString().slice(11, 23);

/** When an exchange ended, in milliseconds since the epoch. */
const endOf = ({ startedAt, durationMs }: Exchange) => startedAt + durationMs;

/** Whether there was nobody to connect to: what fails later, at TLS say, is no outage. */
function wasRefused({ failure }: Exchange): boolean {
  return failure?.kind === "connect" && /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(failure.message);
}

/**
 * Whether anything answers where a URL points: a byte of an answer to a request for nothing, as a server that is going
 * down, or whatever stands before one that is down, takes connections and closes them. Over TLS, that it listens.
 */
function isAnswering(url: URL, tls: TlsTrust): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket(url, tls, ["http/1.1"]);
    const finish = (there: boolean) => {
      socket.destroy();
      resolve(there);
    };
    socket.setTimeout(lookMs, () => finish(false));
    socket.once("connect", () => {
      if (url.protocol === "https:") finish(true);
      else socket.write(httpText(new URL("/", url).href, "OPTIONS", [["connection", "close"]], new Uint8Array()));
    });
    socket.once("data", () => finish(true));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}

/**
 * Begins with a target that is there.
 *
 * @param waitMs how long the target is waited for once it is away
 */
export function createOutages(tls: TlsTrust, waitMs: number, isThere = isAnswering): Outages {
  let lastSeen = Number.NEGATIVE_INFINITY;
  let givenUp: string | undefined;
  let waiting: Promise<string | undefined> | undefined;
  let last: { readonly from: number; readonly to: number; readonly says: string } | undefined;

  /** The outage in which a call ended that is looked at only now that the target is back, as on a busy machine. */
  function lastAround(ended: number): string | undefined {
    return last !== undefined && ended >= last.from - slackMs && ended <= last.to ? last.says : undefined;
  }

  async function look(exchange: Exchange): Promise<string | undefined> {
    const url = new URL(exchange.request.url);
    const since = endOf(exchange);
    const refused = wasRefused(exchange);
    const end = performance.now() + waitMs;
    for (let looks = 0; ; looks += 1) {
      if (await isThere(url, tls)) {
        lastSeen = performance.now();
        // What was only cut off by a target that is there was cut off on purpose.
        if (looks === 0 && !refused) return undefined;
        const to = Date.now();
        last = { from: since, to, says: `the target was away from ${clock(since)} to ${clock(to)}` };
        return last.says;
      }
      if (performance.now() > end) {
        givenUp = `the target has been away since ${clock(since)}`;
        return givenUp;
      }
      await sleep(everyMs, AbortSignal.timeout(everyMs));
    }
  }

  return {
    async check(exchange, signal) {
      const { failure, response } = exchange;
      if (response !== undefined || signal.aborted || !URL.canParse(exchange.request.url)) return undefined;
      const isReset = failure?.kind === "reset";
      if (!isReset && !wasRefused(exchange)) return undefined;
      const around = isReset ? lastAround(endOf(exchange)) : undefined;
      if (around !== undefined) return around;
      if (isReset && performance.now() - lastSeen < freshMs) return undefined;
      waiting ??= look(exchange).finally(() => {
        waiting = undefined;
      });
      return waiting;
    },
    get givenUp() {
      return givenUp;
    },
  };
}
