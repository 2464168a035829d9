import type { JsonObject } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { envelopeOf, onFrames, onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** How long a stream is as it should be, in milliseconds. */
const goodMs = 2200;

/** Heartbeats that come later, changed. */
const laterBeats = (change: (heartbeat: JsonObject) => JsonObject) =>
  onMessages(() => {
    const begun = performance.now();
    return (message) => {
      const { heartbeat } = message;
      const isLate = heartbeat !== undefined && performance.now() - begun > goodMs;
      return [isLate ? { ...message, heartbeat: change(heartbeat as JsonObject) } : message];
    };
  });

/** Sends something to keep a silent stream open. */
const keepingOpen = (kept: () => Uint8Array) =>
  onFrames(async function* (frames) {
    const rest = frames[Symbol.asyncIterator]();
    let next = rest.next();
    try {
      for (;;) {
        let timer: NodeJS.Timeout | undefined;
        const silence = new Promise<undefined>((resolve) => {
          timer = setTimeout(resolve, goodMs, undefined);
        });
        const come = await Promise.race([next, silence]);
        clearTimeout(timer);
        if (come === undefined) yield kept();
        else if (come.done === true) return;
        else {
          yield come.value;
          next = rest.next();
        }
      }
    } finally {
      await rest.return?.();
    }
  });

const empty = () => envelopeOf({});
const bare = () => Buffer.from("\n");

const ofRuns = (method: string) =>
  ({
    "*.watch.shape": {
      [`${method}-keeps-open-by-empty-messages`]: [
        "sends an empty message whenever it has been silent for seconds",
        keepingOpen(empty),
      ],
    },
    "connect.stream.envelopes": {
      [`${method}-keeps-open-by-line-breaks`]: [
        "sends a line break whenever it has been silent for seconds",
        keepingOpen(bare),
        { also: ["*.endpoints.envelopes", "connect.stream.payload"] },
      ],
    },
  }) as const;

/** What comes on a stream only once it has been open for seconds. */
export const lateMessageFaults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "*.watch.heartbeat": {
      "WatchJob-later-heartbeats-behind": [
        "sends heartbeats of the first version, once it has been open for seconds",
        laterBeats((heartbeat) => ({ ...heartbeat, resourceVersion: "1" })),
      ],
      "WatchJob-later-heartbeats-undated": [
        "dates no heartbeat, once it has been open for seconds",
        laterBeats(({ resourceVersion }) => ({ resourceVersion: resourceVersion ?? "0" })),
      ],
    },
    "*.wire.int64": {
      "WatchJob-later-heartbeats-with-a-number": [
        "sends heartbeats with the version as a number, once it has been open for seconds",
        laterBeats((heartbeat) => ({ ...heartbeat, resourceVersion: Number(heartbeat.resourceVersion) })),
      ],
    },
  }),
  ...["WatchRun", "StreamRunText"].flatMap((method) => faultsOf("stream", "beta.v1", ofRuns(method))),
];
