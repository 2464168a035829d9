import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const changed = (change: (text: string) => string) => inReply("payload.output.text", (text) => change(String(text)));

/** Outputs that are not the text that was streamed. */
export const outputFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.runs.output": {
    "GetRunPayload-output-cut": [
      "shows the first twenty characters of an output",
      changed((text) => text.slice(0, 20)),
    ],
    "GetRunPayload-output-in-ascii": [
      "shows question marks for what is not ASCII in an output",
      changed((text) => text.replace(/\P{ASCII}/gu, "?")),
    ],
  },
});
