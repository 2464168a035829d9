import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { textAt } from "../../wire/json.ts";
import { isObject, type Reply, type StreamMessage } from "../../wire/reply.ts";
import type { Credential } from "../../wire/request.ts";
import { sleep } from "../../wire/sleep.ts";
import { isOver } from "../../wire/states.ts";
import { waitForEnd } from "../watch-wait.ts";

/** What streams of a run showed. */
export interface Streamed {
  readonly replies: readonly Reply[];
  /** Events in the order they came. */
  readonly events: readonly JsonObject[];
}

const watchRow = rpc("beta.v1.RunService/WatchRun");
const textRow = rpc("beta.v1.RunService/StreamRunText");

/** The events that messages of a stream hold. */
export function eventsOf(messages: readonly StreamMessage[]): readonly JsonObject[] {
  return messages.map(({ json }) => json.event).filter(isObject);
}

const isLastState = (event: JsonObject) => isOver(event);
const isLastText = (event: JsonObject) => event.final === true;

/** How a run is streamed. */
export interface StreamOptions {
  /** Sequence to begin after; undefined sends none. */
  readonly after?: string | undefined;
  /** How long to listen in all, in milliseconds. */
  readonly withinMs?: number;
  /** Hang up after so many messages of each stream, and resume. */
  readonly cutAfter?: number;
  /** That nothing more will come: default the end of the run, or the final text. */
  readonly isLast?: (event: JsonObject) => boolean;
  /** How often a stream that ended early is resumed. */
  readonly maxStreams?: number;
  /** The requestId of every stream; default each has its own. */
  readonly requestId?: JsonValue;
  /** Another credential than the usual one. */
  readonly as?: Credential | undefined;
}

/** Streams that show nothing, and end, before the first that shows something. */
const maxEmpty = 10;

/** A stream opened with less time left, in milliseconds, may be given up before it begins, and tells nothing then. */
const lastMomentMs = 100;

async function stream(context: CaseContext, row: RpcRow, run: Subject, options: StreamOptions): Promise<Streamed> {
  const { call, setup, target } = context;
  const { withinMs = target.settings.patience.settleMs, cutAfter, maxStreams = 200 } = options;
  const isLast = options.isLast ?? (row === watchRow ? isLastState : isLastText);
  // Whether a text is shown to its end to one who comes late is open.
  const wait = waitForEnd(context, run, withinMs, row === watchRow && options.isLast === undefined);
  const replies: Reply[] = [];
  const events: JsonObject[] = [];
  let from = options.after;
  // A run takes its time to begin: what ends before there is anything to show is not counted as quickly.
  let left = maxStreams === 1 ? 1 : maxStreams + maxEmpty;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const own: JsonObject = options.requestId === undefined ? {} : { requestId: options.requestId };
    const request = { ...(await setup.request(row, run)), ...run.within, ...own };
    const reply = await call(
      row,
      { ...request, ...(from === undefined ? {} : { afterSequence: from }) },
      {
        enough: (messages) =>
          eventsOf(messages).some(isLast) || (cutAfter !== undefined && messages.length >= cutAfter),
        listenMs: wait.leftMs,
        as: options.as,
      },
    );
    replies.push(reply);
    const shown = eventsOf(reply.messages);
    events.push(...shown);
    from = textAt(shown.at(-1), "sequence") || from;
    const isEnd = shown.some(isLast);
    const over = isEnd || wait.isLate;
    if (over && reply.outcome === "served") wait.ended(isEnd);
    left -= 1;
    if (shown.length > 0) left = Math.min(left, maxStreams - 1);
    if (over || left <= 0 || reply.outcome !== "served") return { replies, events };
    if (reply.messages.length === 0) await wait.sawNothing();
    if (shown.length > 0) continue;
    await sleep(pauseMs, context.signal);
    if (wait.leftMs < lastMomentMs) {
      wait.ended(false);
      return { replies, events };
    }
  }
}

/**
 * Watches a run to its end. When a stream ends is not shown, so one that ends early is resumed where it was.
 * @throws Unproven where others have watched for an end in vain
 */
export function watchRun(context: CaseContext, run: Subject, options: StreamOptions = {}): Promise<Streamed> {
  return stream(context, watchRow, run, options);
}

/** Streams the text of a run to the event marked final. One that ends early is resumed where it was, a few times. */
export function streamText(context: CaseContext, run: Subject, options: StreamOptions = {}): Promise<Streamed> {
  return stream(context, textRow, run, { maxStreams: 4, ...options });
}
