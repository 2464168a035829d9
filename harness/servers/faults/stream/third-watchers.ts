import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { isEndStream } from "../stream-messages.ts";
import { type Entry, faultsOf } from "../table.ts";

/** Longer than anybody waits, in milliseconds. */
const forever = 60_000;

/** How many are served of the streams of one subject that are open at a time. */
const served = 2;

/** Streams of a subject beyond the second that is open do what `beyond` says with their messages. */
const beyondTwo =
  (beyond: (frames: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) =>
  (row: RpcRow): WireHooks => {
    const open = new Map<string, number>();
    return {
      frames(frames, call) {
        if (call.rpc !== row.name) return frames;
        const key = JSON.stringify(call.request[`${row.subject}Id`] ?? null);
        const own = (open.get(key) ?? 0) + 1;
        open.set(key, own);
        const shown = own > served ? beyond(frames) : frames;
        return (async function* () {
          try {
            yield* shown;
          } finally {
            open.set(key, (open.get(key) ?? 1) - 1);
          }
        })();
      },
    };
  };

/** Shows nothing, and does not end. */
async function* silently(): AsyncIterable<Uint8Array> {
  await new Promise((resolve) => void setTimeout(resolve, forever).unref());
}

/** Shows what was before, and ends well as if there were no more. */
async function* briefly(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let shown = 0;
  for await (const frame of frames) if (isEndStream(frame) || shown++ < 1) yield frame;
}

/** Leaves out every second message. */
async function* inPart(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let count = 0;
  for await (const frame of frames) if (isEndStream(frame) || count++ % 2 === 0) yield frame;
}

const silent = { also: ["connect.whole-reply"] };
/** What becomes of a third client, by the name of the method. */
const entries = (method: string): Record<string, Entry<WireHooks>> => ({
  [`${method}-third-hears-nothing`]: ["shows a third client of one subject nothing", beyondTwo(silently), silent],
  [`${method}-third-hears-the-first-alone`]: [
    "shows a third client of one subject one message alone",
    beyondTwo(briefly),
    silent,
  ],
});

/** Events are shown each; of a job that is shown as it is, what has passed by need not be. */
const third: Entry<WireHooks> = ["shows a third client of one run every second event", beyondTwo(inPart), silent];

export const thirdWatchers: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", { "*.watch.no-loss": entries("WatchJob") }),
  ...faultsOf("stream", "beta.v1", {
    "*.watch.no-loss": { ...entries("WatchRun"), "WatchRun-third-hears-in-part": third },
  }),
];
