import type { Fault } from "../fault.ts";
import { isEndStream, onFrames } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** Once a client has left its stream, those that were open by then show nothing more. */
const takingAlong = () => {
  const open = new Set<{ deaf: boolean }>();
  return onFrames(async function* (frames) {
    const own = { deaf: false };
    open.add(own);
    let ended = false;
    try {
      for await (const frame of frames) {
        ended = isEndStream(frame);
        if (ended || !own.deaf) yield frame;
      }
    } finally {
      open.delete(own);
      if (!ended) for (const other of open) other.deaf = true;
    }
  });
};

/** Streams that a client leaves while another stays. */
export const leaverFaults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "*.watch.no-loss": {
      "WatchJob-leaver-takes-others-along": ["a watcher that leaves takes the others along", takingAlong()],
    },
  }),
  ...faultsOf("stream", "beta.v1", {
    "*.watch.no-loss": {
      "WatchRun-leaver-takes-others-along": ["a watcher that leaves takes the others along", takingAlong()],
    },
  }),
];
