import type { Message } from "@bufbuild/protobuf";
import { type Job, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { Context } from "../../reference/core/context.ts";
import type { WatchSource } from "../../reference/core/parts.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Has nothing to say to who resumes a watch of a job that ended so. */
const silentOn = (state: JobState) =>
  replacing((parts) => ({
    watch<T extends Message>(context: Context, source: WatchSource<T>) {
      const record = source.table.find(source.id)?.record as Job | undefined;
      const isLost = source.afterVersion > 0n && record?.state === state;
      return isLost ? nothing<T>() : parts.watch(context, source);
    },
  }));

async function* nothing<T extends Message>(): AsyncGenerator<T> {}

export const jobEnds: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.no-loss": {
    "WatchJob-failure-lost-on-resume": ["does not show a resumed watch that the job failed", silentOn(JobState.FAILED)],
    "WatchJob-cancellation-lost-on-resume": [
      "does not show a resumed watch that the job was canceled",
      silentOn(JobState.CANCELED),
    ],
  },
});
