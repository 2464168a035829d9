import { isReadOnly, issuesAddress, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { RunObserver } from "../case/observer.ts";
import type { RequestLimits } from "../case/order.ts";
import { NotExercised } from "../target/target.ts";
import type { Wire } from "../wire/client.ts";

/** A request about to be sent. */
export interface Outgoing {
  readonly url: string;
  readonly method?: string;
  /** Name of the RPC it is for, where that is known. */
  readonly rpc?: string | undefined;
}

/** Stands before the wire: what may not be sent is not sent, whoever asks. */
export interface RequestGuard {
  /** @throws WithheldByReadOnly for what is no read in a read-only run, RequestLimitReached beyond the most requests */
  admit(request: Outgoing): void;
}

/** A request that `--read-only` holds back: its case is not exercised. */
export class WithheldByReadOnly extends NotExercised {
  constructor(what: string) {
    super("--read-only", what);
    this.message = `needs a run without --read-only: ${what}`;
  }
}

/** The run has sent all the requests it may: what is left of it is unproven. */
export class RequestLimitReached extends Error {
  constructor(most: number) {
    super(`the run has sent the ${most} requests that --max-requests allows`);
  }
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** The RPC a request reaches: by its path, which decides on the server whatever the request was meant for. */
function reached({ url }: Outgoing): RpcRow | undefined {
  const path = URL.parse(url)?.pathname;
  return path === undefined ? undefined : rpcs.find((row) => path.endsWith(row.path));
}

/** @throws Withheld for what is no read */
function admitReading(request: Outgoing): void {
  const method = request.method ?? "POST";
  const row = reached(request);
  if (row === undefined) {
    if (readingMethods.has(method)) return;
    throw new WithheldByReadOnly(`a ${method} to an address outside the contract may change something`);
  }
  if (!isReadOnly(row)) throw new WithheldByReadOnly(`${row.name} may change something`);
  if (issuesAddress(row)) throw new WithheldByReadOnly(`${row.name} makes an address`);
}

/** Creates the guard of one run. */
export function createRequestGuard({
  readOnly = false,
  maxRequests,
  sentBefore = 0,
}: RequestLimits = {}): RequestGuard {
  let sent = sentBefore;
  return {
    admit(request) {
      if (readOnly) admitReading(request);
      if (maxRequests !== undefined && sent >= maxRequests) throw new RequestLimitReached(maxRequests);
      sent += 1;
    },
  };
}

/** The wire behind its guard: what may not be sent is thrown, nothing else ever is. */
export function guarded(wire: Wire, guard: RequestGuard, observers: readonly RunObserver[]): Wire {
  return {
    get count() {
      return wire.count;
    },
    get permits() {
      return wire.permits;
    },
    get isFree() {
      return wire.isFree;
    },
    backOff: (overload) => wire.backOff(overload),
    async send(request) {
      guard.admit(request);
      for (const { onSend } of observers) onSend?.(request);
      return wire.send(request);
    },
    close: () => wire.close(),
  };
}
