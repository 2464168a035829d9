import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { idKey, inReply, onReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { without } from "../values.ts";

const changed = (change: (text: string) => string) => inReply("payload.output.text", (text) => change(String(text)));

/** Leaves the input out once it was shown. */
function shownOnce(row: RpcRow): WireHooks {
  const shown = new Set<string>();
  return onReply((json, { request }) => {
    const id = idKey(request.runId);
    const { payload } = json;
    const again = shown.has(id);
    shown.add(id);
    return again ? { ...json, payload: without(payload as JsonObject, "input") } : json;
  })(row);
}

/** Outputs that are not the text that was streamed. */
export const outputFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.runs.payload": {
    "GetRunPayload-input-shown-once": ["shows the input of a run to the first call alone", shownOnce],
  },
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
