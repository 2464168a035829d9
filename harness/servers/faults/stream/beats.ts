import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import type { Handler } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** A stream that sends all it has, and is refused then. */
const failingAtTheEnd = wrapping((next) => {
  async function* failing(...call: Parameters<Handler>) {
    yield* next(...call) as AsyncIterable<Message>;
    refuse("INTERNAL", "the stream could not be ended");
  }
  return failing as unknown as Handler;
});

export const beatFaults: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.heartbeat": {
    "WatchJob-heartbeats-of-one-instant": [
      "dates every heartbeat of a watch as its first",
      onMessages(() => {
        let first: JsonValue | undefined;
        return (message) => {
          const { heartbeat } = message;
          if (heartbeat === undefined) return [message];
          first ??= (heartbeat as JsonObject).emittedAt;
          return [{ heartbeat: { ...(heartbeat as JsonObject), emittedAt: first ?? "" } }];
        };
      }),
    ],
    "WatchJob-slow-heartbeats-lose-their-time": [
      "sends a heartbeat every 1.2 seconds, and dates the first alone",
      (row) => ({
        ...onMessages(() => {
          let isFirst = true;
          return (message) => {
            const heartbeat = message.heartbeat as JsonObject | undefined;
            if (heartbeat === undefined || isFirst) {
              isFirst &&= heartbeat === undefined;
              return [message];
            }
            const { emittedAt: _, ...undated } = heartbeat;
            return [{ heartbeat: undated }];
          };
        })(row),
        choices: { heartbeatMs: 1200 },
      }),
    ],
  },
  "*.endpoints.served": {
    "RunStream-fails-after-all-output": ["ends a stream with an error once all its output was sent", failingAtTheEnd],
  },
});
