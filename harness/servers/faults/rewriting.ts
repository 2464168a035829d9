import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../reference/core/context.ts";
import type { WireHooks } from "../reference/core/decoration.ts";
import { encodeEnvelope, endStreamFlag } from "../reference/core/envelope.ts";

/** What is sent in place of one message of a stream. Asked for anew for each call, so that it may remember. */
export type Rewrite = (call: Call) => (message: JsonObject) => readonly JsonObject[];

/** A decoration that sends other messages on the streams of one RPC. */
export function rewriting(rpc: string, rewrite: Rewrite): WireHooks {
  async function* rewritten(frames: AsyncIterable<Uint8Array>, call: Call) {
    const change = rewrite(call);
    for await (const frame of frames) {
      if (((frame[0] ?? 0) & endStreamFlag) !== 0) yield frame;
      else {
        const message = JSON.parse(Buffer.from(frame.subarray(5)).toString()) as JsonObject;
        for (const sent of change(message)) yield encodeEnvelope(0, Buffer.from(JSON.stringify(sent)));
      }
    }
  }
  return { frames: (frames, call) => (call.rpc === rpc ? rewritten(frames, call) : frames) };
}
