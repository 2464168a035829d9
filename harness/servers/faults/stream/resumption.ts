import type { JsonObject } from "@bufbuild/protobuf";
import { createChance } from "../chance.ts";
import type { Fault } from "../fault.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { unknownId } from "../values.ts";
import { eventOf, isEnd, isResumed } from "./events.ts";

/** Of a resumed stream, one time in twenty, something other than the message that is due. */
function sometimes(instead: (message: JsonObject) => readonly JsonObject[]) {
  const chance = createChance(0.05);
  return onMessages(
    (call) => (message) => (isResumed(call) && !isEnd(message) && chance() ? instead(message) : [message]),
  );
}

export const resumedStreamFaults: readonly Fault[] = faultsOf("stream", "beta.v1", {
  "*.watch.no-loss": {
    "WatchRun-loses-events-at-times": ["loses one event in twenty of a resumed watch", sometimes(() => [])],
  },
  "*.watch.same-event": {
    "WatchRun-changes-events-at-times": [
      "shows one event in twenty of a resumed watch in another state",
      sometimes((message) => [{ event: { ...eventOf(message), state: "RUN_STATE_QUEUED" } }]),
    ],
    "WatchRun-renews-events-at-times": [
      "gives one event in twenty of a resumed watch another id",
      sometimes((message) => [{ event: { ...eventOf(message), eventId: unknownId } }]),
    ],
    "StreamRunText-changes-text-at-times": [
      "sends one fragment in twenty of a resumed text with another ending",
      sometimes((message) => [{ event: { ...eventOf(message), delta: `${eventOf(message).delta}.` } }]),
    ],
  },
});
