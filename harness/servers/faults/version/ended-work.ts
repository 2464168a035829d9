import type { Message } from "@bufbuild/protobuf";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replyShowing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { unlookedAt } from "./unlooked-at.ts";

/** Serves the cancellation of what has come to some state, changing nothing, whatever version is expected of it. */
const servedOnce =
  (state: JobState | RunState) =>
  (row: RpcRow): EitherDecoration => {
    const isSo = (subject: Message) => readField(subject, "state") === state;
    return {
      ...unlookedAt(({ subject }) => subject !== undefined && isSo(subject))(row),
      ...wrapping((next) => (context, ...rest) => {
        const { subject } = context;
        if (subject === undefined || !isSo(subject)) return next(context, ...rest);
        return replyShowing(row, subject);
      })(row),
    };
  };

/** An RPC, what has become of what it cancels, and the state that shows it. */
const ends: readonly (readonly [name: string, end: string, state: JobState | RunState])[] = [
  ["alpha.v1.JobService/CancelJob", "succeeded", JobState.SUCCEEDED],
  ["alpha.v1.JobService/CancelJob", "canceled", JobState.CANCELED],
  ["beta.v1.RunService/CancelRun", "succeeded", RunState.SUCCEEDED],
  ["beta.v1.RunService/CancelRun", "failed", RunState.FAILED],
  ["beta.v1.RunService/CancelRun", "canceled", RunState.CANCELED],
];

/** Cancellations that look at the version only where there is something to cancel. */
export const servedEnds: readonly Fault[] = ends.flatMap(([name, end, state]) =>
  faultsAt([rpc(name)], {
    id: `version/served-at-any-version-once-${end}`,
    says: `serves the cancellation of what has ${end === "canceled" ? "been canceled" : end} at any version`,
    breaks: "*.versioning.expected",
    decorate: servedOnce(state),
  }),
);

/** Work that nobody has begun to do yet is canceled by whoever asks. */
export const queuedWork: readonly Fault[] = faultsAt(
  ["alpha.v1.JobService/CancelJob", "beta.v1.RunService/CancelRun"].map(rpc),
  {
    id: "version/ignores-versions-while-queued",
    says: "ignores the expected version of a cancellation while the work is queued",
    breaks: "*.versioning.expected",
    decorate: (row) =>
      unlookedAt(
        ({ subject }) =>
          subject !== undefined &&
          readField(subject, "state") === (row.package === "alpha.v1" ? JobState.QUEUED : RunState.QUEUED),
      )(row),
  },
);
