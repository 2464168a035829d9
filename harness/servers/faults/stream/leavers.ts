import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { onFrames } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** Longer than anybody waits, in milliseconds. */
const forever = 60_000;

/** Once a client has left its stream, those that were open by then show nothing more, and do not end. */
function takingAlong(row: RpcRow): WireHooks {
  const open = new Set<{ deaf: boolean }>();
  return {
    ...onFrames(async function* (frames) {
      const own = { deaf: false };
      open.add(own);
      for await (const frame of frames) if (!own.deaf) yield frame;
      open.delete(own);
      if (own.deaf) await new Promise((resolve) => void setTimeout(resolve, forever).unref());
    })(row),
    raw(request, response, next) {
      if (request.url === row.path) {
        response.once("close", () => {
          if (!response.writableFinished) for (const other of open) other.deaf = true;
        });
      }
      next();
    },
  };
}

/** A stream without an end is no whole reply either. */
const silent = { also: ["connect.whole-reply"] };

/** Streams that a client leaves while another stays. */
export const leaverFaults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "*.watch.no-loss": {
      "WatchJob-leaver-takes-others-along": ["a watcher that leaves takes the others along", takingAlong, silent],
    },
  }),
  ...faultsOf("stream", "beta.v1", {
    "*.watch.no-loss": {
      "WatchRun-leaver-takes-others-along": ["a watcher that leaves takes the others along", takingAlong, silent],
    },
  }),
];
