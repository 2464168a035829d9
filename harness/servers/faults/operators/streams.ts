import { Effect, rpcs } from "../../../../proto/rpcs.ts";
import { encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import { editAt } from "../edit.ts";
import { onMessages, payloadOf } from "../stream-messages.ts";
import { alsoBroken, forms, type Reframe, reframing } from "../transport/stream-forms.ts";
import { another } from "../values.ts";
import { applyOperator, type Site } from "./operator.ts";

const streaming = rpcs.filter((row) => row.stream);

interface FormSite extends Site {
  readonly says: string;
  readonly breaks: string;
  readonly reframe: Reframe;
}

/** An envelope that announces `by` bytes more than it has. */
function misannounced(frame: Uint8Array, by: number): Uint8Array {
  const envelope = Buffer.from(encodeEnvelope(frame[0] ?? 0, payloadOf(frame)));
  envelope.writeUInt32BE(frame.length - 5 + by, 1);
  return envelope;
}

/** Forms that are planted at every stream. */
const more: typeof forms = {
  "connect.stream.envelopes": {
    "length-too-small": ["", "the announced length is one too small", (frame) => [misannounced(frame, -1)]],
    "cut-in-the-end": ["", "the last envelope is cut short", (frame, isEnd) => [isEnd ? frame.subarray(0, -1) : frame]],
  },
  "connect.stream.end": {
    "end-as-message": [
      "",
      "the end-stream is flagged as a message",
      (frame, isEnd) => [isEnd ? encodeEnvelope(0, payloadOf(frame)) : frame],
    ],
    "every-message-ends": [
      "",
      "every message is flagged as the end-stream",
      (frame, isEnd) => [isEnd ? frame : encodeEnvelope(endStreamFlag, payloadOf(frame))],
    ],
  },
  "connect.stream.end-shape": {
    "end-in-an-array": [
      "",
      "the end-stream stands in an array",
      (frame, isEnd) => [
        isEnd ? encodeEnvelope(endStreamFlag, Buffer.from(`[${Buffer.from(payloadOf(frame))}]`)) : frame,
      ],
    ],
  },
};

export const otherForms = applyOperator({
  name: "stream-form",
  area: "transport",
  says: ({ says }) => `sends a stream of another form: ${says}`,
  breaks: ({ breaks }) => breaks,
  also: ({ breaks }) => alsoBroken(breaks),
  sites: [forms, more].flatMap((table) =>
    Object.entries(table).flatMap(([breaks, ofClause]) =>
      Object.entries(ofClause).flatMap(([which, [planted, says, reframe]]) =>
        streaming.filter((row) => row.name !== planted).map((row): FormSite => ({ row, which, says, breaks, reframe })),
      ),
    ),
  ),
  plant: ({ row, reframe }) => reframing(reframe)(row),
});

/** A message about another subject stands among those of a stream, once. */
const mixing = (path: string) =>
  onMessages(() => {
    let mixed = false;
    return (message) => {
      const other = editAt(message, path, another);
      if (mixed || JSON.stringify(other) === JSON.stringify(message)) return [message];
      mixed = true;
      return [message, other];
    };
  });

export const mixedStreams = applyOperator({
  name: "stream-mixed",
  area: "stream",
  says: () => "sends one message about something else among those of what is watched",
  breaks: "*.watch.subject",
  entails: ["*.records.identity"],
  sites: streaming
    .filter((row) => row.effect === Effect.WATCH)
    .map((row) => ({ row, at: row.package === "alpha.v1" ? "job.id" : "event.runId" })),
  plant: ({ row, at }) => mixing(at)(row),
});
