import type { JsonObject } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { textIn, without } from "../values.ts";

/** Jobs without their results, on streams that are resumed. */
const withoutResults = onMessages((call) => (message) => {
  const isResumed = !["", "0"].includes(textIn(call.request, "afterResourceVersion"));
  if (!isResumed || message.job === undefined) return [message];
  return [{ ...message, job: without(message.job as JsonObject, "resultArtifactIds") }];
});

export const resumedJobFaults: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.records.agree": {
    "WatchJob-resumed-without-results": ["leaves the results of a job out of a watch that is resumed", withoutResults],
  },
});
