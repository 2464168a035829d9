import { receiveMessageOnPort } from "node:worker_threads";
import { UsageError } from "../target/load.ts";
import type { TargetSettings } from "../target/schema.ts";
import { takePlace } from "./host.ts";
import { type Answer, counts, type Order, type Report } from "./messages.ts";
import { listenTo } from "./words.ts";

export type { Answer } from "./messages.ts";

/** A request that the receiver got at a hook. */
export interface Delivered {
  readonly method: string;
  /** Its path and query as they were sent, up to 2,048 characters. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its first MiB; with its content coding undone, where that comes to no more. */
  readonly body: Uint8Array;
  /** The body as it came, where a content coding was undone. */
  readonly packed?: Uint8Array;
  /** When all of it was there, by the receiver's clock, in milliseconds since the epoch. */
  readonly at: number;
  /** The HTTP status it was answered with; 0 where it was hung up on. */
  readonly answered: number;
}

/** An address for one webhook endpoint. What comes below its path, or with a query, comes to it as well. */
export interface Hook {
  readonly url: string;
  /** Requests so far, in the order they were received: always all there were, however busy this thread is. */
  readonly delivered: readonly Delivered[];
  /** Answers otherwise; resolves once it does. */
  answerWith(answer: Answer): Promise<void>;
  /** Keeps nothing any more of what comes; it is answered with 200, so that it is not tried again. */
  release(): void;
}

/** How the receiver itself did. */
export interface ReceiverTimes {
  /** Requests that came to its hooks. */
  readonly received: number;
  /** The longest time from a whole request to its answer, in milliseconds; delays that a hook was told to make left out. */
  readonly slowestMs: number;
  /** How long it had no processor in all, in milliseconds. */
  readonly lateMs: number;
}

/** Receives webhook deliveries, on a thread of its own. */
export interface Receiver {
  /** Opens another hook. @param answer default HTTP 200 at once */
  hook(answer?: Answer): Hook;
  /** How long the receiver itself was late since a time in milliseconds since the epoch: so much is not the target's. */
  lateSince(since: number): number;
  /** How it did so far; as it was at its end once it is closed. */
  readonly times: ReceiverTimes;
  /** Ends its thread. Idempotent. */
  close(): Promise<void>;
}

/** A receiver that does not say that it is closed is waited for so many milliseconds. */
const closeMs = 2000;

const nothing = new Uint8Array();

/** A request as it is kept; where it brings no body, that of the one before is its own. */
function deliveredFrom(
  { type: _, hook: _hook, body, ...request }: Extract<Report, { type: "request" }>,
  before: Delivered | undefined,
): Delivered {
  return { ...request, body: body ?? before?.body ?? nothing };
}

/**
 * Starts a receiver at `webhooks.listen` of the target file. Its hooks have addresses below `webhooks.publicUrl`, where one
 * is given.
 * @throws UsageError where it cannot listen there
 */
export async function createReceiver(settings: NonNullable<TargetSettings["webhooks"]>): Promise<Receiver> {
  const [host = "127.0.0.1", wanted = "0"] = settings.listen.split(":");
  const counters = new SharedArrayBuffer(counts.size * Int32Array.BYTES_PER_ELEMENT);
  const shared = new Int32Array(counters);
  const { control, reports, leave } = takePlace({ host, port: Number(wanted), counters });
  const words = listenTo(control);
  control.on("close", leave);
  const began = await words.next(({ type }) => type === "listening" || type === "failed");
  if (began.type !== "listening") {
    const code = began.type === "failed" ? began.code : began.type;
    throw new UsageError(`webhooks.listen ${settings.listen} cannot be listened on (${code}); choose another.`);
  }
  const order = (one: Order) => control.postMessage(one);
  const base = settings.publicUrl ?? `http://${host}:${began.port}`;
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  const open = new Map<number, Delivered[]>();
  const late: { readonly at: number; readonly ms: number }[] = [];
  let opened = 0;
  let closing: Promise<void> | undefined;

  /** Takes in all that was reported, now: no event has to come up first. */
  function takeIn(): void {
    for (let next = receiveMessageOnPort(reports); next !== undefined; next = receiveMessageOnPort(reports)) {
      const report = next.message as Report;
      if (report.type === "late") {
        late.push(report);
        continue;
      }
      const own = open.get(report.hook);
      own?.push(deliveredFrom(report, own.at(-1)));
    }
  }

  async function end(): Promise<void> {
    const closed = words.next(({ type }) => type === "closed").catch(() => {});
    order({ type: "close" });
    const overdue = setTimeout(() => control.close(), closeMs);
    await closed;
    clearTimeout(overdue);
    takeIn();
    control.close();
    leave();
  }

  return {
    hook(answer = { status: 200 }) {
      opened += 1;
      const hook = opened;
      const path = `/hook-${hook}-${crypto.randomUUID()}`;
      const delivered: Delivered[] = [];
      open.set(hook, delivered);
      // The path of a public URL may be kept or stripped by the proxy that forwards requests.
      order({ type: "open", hook, paths: [path, prefix + path], answer });
      return {
        url: base + path,
        get delivered() {
          takeIn();
          if (closing === undefined) words.check();
          return delivered;
        },
        async answerWith(answer) {
          const done = words.next((word) => word.type === "answering" && word.hook === hook);
          order({ type: "answer", hook, answer });
          await done;
        },
        release() {
          open.delete(hook);
          order({ type: "release", hook });
        },
      };
    },
    lateSince(since) {
      takeIn();
      return late.filter(({ at }) => at >= since).reduce((sum, { ms }) => sum + ms, 0);
    },
    get times() {
      takeIn();
      return {
        received: Atomics.load(shared, counts.received),
        slowestMs: Atomics.load(shared, counts.slowestMs),
        lateMs: Math.round(late.reduce((sum, { ms }) => sum + ms, 0)),
      };
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}
