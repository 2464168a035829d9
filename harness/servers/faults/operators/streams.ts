import type { JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import { editAt } from "../edit.ts";
import { rewriting } from "../rewriting.ts";
import { forms, framing, type Reframe, reframed } from "../transport/stream-forms.ts";
import { applyOperator, type Site } from "./operator.ts";

const streaming = rpcs.filter((row) => row.stream);

interface FormSite extends Site {
  readonly says: string;
  readonly breaks: string;
  readonly reframe: Reframe;
}

const payloadOf = (frame: Uint8Array) => frame.subarray(5);

/** An envelope that announces `by` bytes more than it has. */
function misannounced(frame: Uint8Array, by: number): Uint8Array {
  const envelope = Buffer.from(encodeEnvelope(frame[0] ?? 0, payloadOf(frame)));
  envelope.writeUInt32BE(frame.length - 5 + by, 1);
  return envelope;
}

const more: readonly (readonly [id: string, says: string, breaks: string, reframe: Reframe])[] = [
  [
    "length-too-small",
    "the announced length is one too small",
    "connect.stream.envelopes",
    (frame) => [misannounced(frame, -1)],
  ],
  [
    "end-as-message",
    "the end-stream is flagged as a message",
    "connect.stream.end",
    (frame, isEnd) => [isEnd ? encodeEnvelope(0, payloadOf(frame)) : frame],
  ],
  [
    "every-message-ends",
    "every message is flagged as the end-stream",
    "connect.stream.end",
    (frame, isEnd) => [isEnd ? frame : encodeEnvelope(endStreamFlag, payloadOf(frame))],
  ],
  [
    "cut-in-the-end",
    "the last envelope is cut short",
    "connect.stream.envelopes",
    (frame, isEnd) => [isEnd ? frame.subarray(0, -1) : frame],
  ],
  [
    "end-in-an-array",
    "the end-stream stands in an array",
    "connect.stream.end-shape",
    (frame, isEnd) => [
      isEnd ? encodeEnvelope(endStreamFlag, Buffer.from(`[${Buffer.from(payloadOf(frame))}]`)) : frame,
    ],
  ],
];

export const formed = applyOperator({
  name: "stream-form",
  area: "transport",
  says: ({ says }) => `sends a stream of another form: ${says}`,
  breaks: ({ breaks }) => breaks,
  also: ({ breaks }) => (framing.has(breaks) ? ["*.endpoints.envelopes"] : []),
  sites: [
    ...forms.map(([id, says, breaks, rpc, reframe]) => ({ id, says, breaks, rpc, reframe })),
    ...more.map(([id, says, breaks, reframe]) => ({ id, says, breaks, rpc: "", reframe })),
  ].flatMap(({ id, rpc, ...form }) =>
    streaming.filter((row) => row.name !== rpc).map((row): FormSite => ({ row, which: id, ...form })),
  ),
  plant: ({ row, reframe }) => reframed(row.name, reframe),
});

/** A message about another subject stands among those of a stream, once. */
function mixed(row: RpcRow, path: string) {
  return rewriting(row.name, () => {
    let mixedIn = false;
    return (message: JsonObject) => {
      const other = editAt(message, path, () => ({ value: "01890a5d-ac96-774b-bcce-b302099a8057" }));
      if (mixedIn || other === message || JSON.stringify(other) === JSON.stringify(message)) return [message];
      mixedIn = true;
      return [message, other];
    };
  });
}

export const mixedStreams = applyOperator({
  name: "stream-mixed",
  area: "stream",
  says: () => "sends one message about something else among those of what is watched",
  breaks: "*.watch.subject",
  sites: streaming
    .filter((row) => row.effect === Effect.WATCH)
    .map((row) => ({ row, at: row.package === "alpha.v1" ? "job.id" : "event.runId" })),
  plant: ({ row, at }) => mixed(row, at ?? ""),
});
