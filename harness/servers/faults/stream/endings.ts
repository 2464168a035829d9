import type { JsonObject } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { isEndStream, jsonIn, onFrames } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { eventOf } from "./events.ts";

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** Streams that showed what `isSo` says end without an end-stream, so much later. */
const breakingOff = (isSo: (messages: readonly JsonObject[]) => boolean, laterMs = 0) =>
  onFrames(async function* (frames) {
    const messages: JsonObject[] = [];
    for await (const frame of frames) {
      if (!isEndStream(frame)) messages.push(jsonIn(frame));
      if (!isEndStream(frame) || !isSo(messages)) yield frame;
      else await pause(laterMs);
    }
  });

/** Whether a stream that was open meanwhile showed last that its work had come to a state. */
const cameTo =
  (state: string) =>
  (messages: readonly JsonObject[]): boolean => {
    const last = messages.at(-1) ?? {};
    const shown = (last.job ?? eventOf(last)) as JsonObject;
    return messages.length > 1 && new RegExp(`_STATE_(?:${state})$`).test(String(shown.state));
  };

/** Longer than a slow reader waits, in milliseconds. */
const laterMs = 600;

const ofWatch = (method: string) =>
  ({
    [`${method}-canceled-without-end-stream`]: [
      "closes the connection without an end-stream once it has shown a cancellation",
      breakingOff(cameTo("CANCELED")),
    ],
    [`${method}-failed-without-end-stream`]: [
      "closes the connection without an end-stream once it has shown a failure",
      breakingOff(cameTo("FAILED")),
    ],
    [`${method}-closed-later-without-end-stream`]: [
      "closes the connection without an end-stream a while after it has shown the last",
      breakingOff(cameTo("SUCCEEDED|FAILED|CANCELED|OUTCOME_UNKNOWN"), laterMs),
    ],
  }) as const;

/** Streams that break off once they have shown the last: who leaves then never sees that no end-stream comes. */
export const endingFaults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", { "connect.stream.end": ofWatch("WatchJob") }),
  ...faultsOf("stream", "beta.v1", {
    "connect.stream.end": {
      ...ofWatch("WatchRun"),
      "StreamRunText-closed-later-without-end-stream": [
        "closes the connection without an end-stream a while after the final text",
        breakingOff((messages) => messages.some((message) => eventOf(message).final === true), laterMs),
      ],
    },
  }),
];
