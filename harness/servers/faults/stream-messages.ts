import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../proto/rpcs.ts";
import type { Call } from "../reference/core/context.ts";
import type { WireHooks } from "../reference/core/decoration.ts";
import { encodeEnvelope, endStreamFlag } from "../reference/core/envelope.ts";

/** The payload of an envelope. */
export const payloadOf = (frame: Uint8Array): Uint8Array => frame.subarray(5);

/** True for the envelope that ends a stream. */
export const isEndStream = (frame: Uint8Array): boolean => ((frame[0] ?? 0) & endStreamFlag) !== 0;

/** The JSON in an envelope. */
export const jsonIn = (frame: Uint8Array): JsonObject => JSON.parse(Buffer.from(payloadOf(frame)).toString());

/** A message in an envelope of its own. */
export const envelopeOf = (message: object, flags = 0): Uint8Array =>
  encodeEnvelope(flags, Buffer.from(JSON.stringify(message)));

/** The envelopes of the streams of whichever RPC a fault is of, changed. */
export function onFrames(
  change: (frames: AsyncIterable<Uint8Array>, call: Call) => AsyncIterable<Uint8Array>,
): (row: RpcRow) => WireHooks {
  return (row) => ({ frames: (frames, call) => (call.rpc === row.name ? change(frames, call) : frames) });
}

/** What is sent in place of one message of a stream. Asked for anew for each call, so that it may remember. */
export type Rewrite = (call: Call) => (message: JsonObject) => readonly JsonObject[];

/** Other messages on the streams of whichever RPC a fault is of. */
export function onMessages(rewrite: Rewrite): (row: RpcRow) => WireHooks {
  return onFrames(async function* (frames, call) {
    const change = rewrite(call);
    for await (const frame of frames) {
      if (isEndStream(frame)) yield frame;
      else for (const sent of change(jsonIn(frame))) yield envelopeOf(sent);
    }
  });
}
