import { rpc } from "../../../../proto/rpcs.ts";
import { endStreamFlag } from "../../reference/core/envelope.ts";
import type { Fault } from "../fault.ts";
import { envelopeOf, isEndStream, jsonIn, onFrames, onMessages } from "../stream-messages.ts";
import { faultsAt } from "../table.ts";
import { type Leak, leaking } from "./leaks.ts";
import { notingValues } from "./spellings.ts";

const rows = ["alpha.v1.PublicTestFixtureService/RunStream", "beta.v1.RunService/StreamRunText"].map(rpc);
const pieceBytes = 6;

export const leakedInPieces: readonly Fault[] = faultsAt(rows, {
  id: "secrecy/tells-in-pieces",
  says: "tells a secret a few letters with each message",
  breaks: "*.secrets.write-only",
  decorate(row) {
    const { noted, hooks } = notingValues();
    const hiding = onMessages(() => {
      // One stream leaks one value, whatever comes in meanwhile.
      const value = noted.latest;
      let sent = 0;
      return (message) => {
        const trace = value?.subarray(sent, sent + pieceBytes).toString() ?? "";
        sent += pieceBytes;
        return [{ ...message, trace }];
      };
    });
    return { ...hooks, ...hiding(row) };
  },
});

/** In the metadata of the end of streams. */
const inEnd: Leak = (secret) =>
  onFrames(async function* (frames) {
    for await (const frame of frames) {
      const text = secret();
      if (!isEndStream(frame) || text === undefined) yield frame;
      else yield envelopeOf({ ...jsonIn(frame), metadata: { "x-trace": [text] } }, endStreamFlag);
    }
  });

export const leakedAtTheEnd: readonly Fault[] = faultsAt(rows, {
  id: "secrecy/tells-at-its-end",
  says: "tells a secret in the metadata of its end, in hex of both cases",
  breaks: "*.secrets.write-only",
  decorate: leaking("in-mixed-hex", inEnd),
});
