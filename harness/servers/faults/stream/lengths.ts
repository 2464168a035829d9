import { rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { payloadOf } from "../stream-messages.ts";
import { faultsAt } from "../table.ts";
import { reframing } from "../transport/stream-forms.ts";

/** An envelope whose length counts the characters of its text. */
function counted(frame: Uint8Array): Uint8Array {
  const envelope = Buffer.from(frame);
  envelope.writeUInt32BE(Buffer.from(payloadOf(frame)).toString().length, 1);
  return envelope;
}

/** Lengths that are right as long as nobody writes anything but ASCII. */
export const lengthFaults: readonly Fault[] = faultsAt(
  ["alpha.v1.PublicTestFixtureService/RunStream", "beta.v1.RunService/StreamRunText"].map(rpc),
  {
    id: "stream/lengths-in-characters",
    says: "counts the characters of a message, not its bytes, in the length of its envelope",
    breaks: "connect.stream.envelopes",
    also: ["*.endpoints.envelopes", "connect.stream.payload", "connect.stream.end"],
    decorate: reframing((frame) => [counted(frame)]),
  },
);
