import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { textIn, without } from "../values.ts";

/** Begins at the beginning where it is to begin after a position of so much or more. */
const fromTheStart = (field: string, least: bigint) =>
  onRequest((json) => (BigInt(textIn(json, field) || "0") >= least ? without(json, field) : json));

export const farVersions: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.not-older": {
    "WatchJob-largest-version-from-the-start": [
      "shows all of a job after a version that no double holds",
      fromTheStart("afterResourceVersion", 2n ** 53n),
    ],
  },
});

export const farSequences: readonly Fault[] = faultsOf("stream", "beta.v1", {
  "*.watch.not-older": {
    "WatchRun-signed-sequence-from-the-start": [
      "shows all of a run after a sequence that is negative as a signed number",
      fromTheStart("afterSequence", 2n ** 63n),
    ],
  },
});
