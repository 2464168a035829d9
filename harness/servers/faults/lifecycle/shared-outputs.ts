import { setTimeout } from "node:timers/promises";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { isEndStream, onFrames } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** How long an output lies in the one buffer that all calls share, in milliseconds. */
const lyingMs = 8;

/** Puts outputs together in one buffer for all calls, and sends what lies there a moment later. */
function throughOneBuffer(): AlphaDecoration {
  let buffer = "";
  return {
    handlers: around(PublicTestFixtureService.method.runSync, (next) => async (context, request) => {
      const reply = await next(context, request);
      buffer = reply.output ?? "";
      await context.world.clock.pause(lyingMs, context.signal);
      return { ...reply, output: buffer };
    }),
  };
}

/** The same for the messages of a stream. */
function streamsThroughOneBuffer(row: RpcRow): WireHooks {
  let buffer: Uint8Array = new Uint8Array();
  return onFrames(async function* (frames) {
    for await (const frame of frames) {
      if (!isEndStream(frame)) buffer = frame;
      await setTimeout(lyingMs);
      yield isEndStream(frame) ? frame : buffer;
    }
  })(row);
}

export const sharedOutputs: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.fixtures.own-output": {
    "RunSync-outputs-through-one-buffer": ["puts out what a call puts out that is made at once", throughOneBuffer],
    "RunStream-outputs-through-one-buffer": [
      "puts out what a stream puts out that is open at once",
      streamsThroughOneBuffer,
    ],
  },
});
