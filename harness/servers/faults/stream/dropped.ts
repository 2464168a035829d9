import type { Message } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { type Context, isStream, type Reply } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { EitherDecoration, Fault, SharedDecoration } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Streams of one subject dropped before a leak is felt: fewer than one case drops. */
const enough = 24;

/** What happens to a call once too many streams of its subject were left behind. */
type Exhausted = (context: Context) => Reply | Promise<Reply>;

const hanging: Exhausted = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the caller left")), { once: true });
  });
const failing: Exhausted = () => refuse("INTERNAL", "no listener is left");

const subjectOf = ({ call }: Context) => JSON.stringify(call.request.jobId ?? call.request.runId ?? null);

/** Counts the streams that callers dropped, by subject: after enough of them calls of `of` about it are `exhausted`. */
const leaking = (exhausted: Exhausted, of?: string) => (row: RpcRow) => {
  const decoration: SharedDecoration = {
    parts: (parts) => {
      const left = new Map<string, number>();
      async function* counted(messages: AsyncIterable<Message>, context: Context): AsyncIterable<Message> {
        let ended = false;
        try {
          yield* messages;
          ended = !context.signal.aborted;
        } finally {
          const subject = subjectOf(context);
          if (!ended) left.set(subject, (left.get(subject) ?? 0) + 1);
        }
      }
      return {
        async pipeline(context, effect) {
          const { name } = context.row;
          if (name === (of ?? row.name) && (left.get(subjectOf(context)) ?? 0) >= enough) return exhausted(context);
          const reply = await parts.pipeline(context, effect);
          return name === row.name && isStream(reply) ? counted(reply, context) : reply;
        },
      };
    },
  };
  return decoration as EitherDecoration;
};

const hangs = ["never answers after many streams were dropped", leaking(hanging)] as const;
const fails = ["fails after many streams were dropped", leaking(failing)] as const;

/** Streams that callers drop are never let go of. */
export const droppedStreams: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "*.endpoints.served": {
      "WatchJob-hangs-after-many": hangs,
      "WatchJob-fails-after-many": fails,
      "WatchJob-takes-reads-along": [
        "leaves its job unreadable after many streams were dropped",
        leaking(failing, "alpha.v1.JobService/GetJob"),
      ],
    },
  }),
  ...faultsOf("stream", "beta.v1", {
    "*.endpoints.served": {
      "WatchRun-hangs-after-many": hangs,
      "WatchRun-fails-after-many": fails,
      "StreamRunText-hangs-after-many": hangs,
      "StreamRunText-fails-after-many": fails,
    },
  }),
];
