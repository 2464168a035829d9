import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { unknownId } from "../values.ts";
import { countingStreams } from "./events.ts";

const jobOf = (message: JsonObject) => message.job as JsonObject | undefined;
const isFinal = (message: JsonObject) => jobOf(message)?.completedAt !== undefined;
const isResumed = (call: Call) => ![undefined, null, "", "0", 0].includes(call.request.afterResourceVersion as never);

/** A message's job at an earlier version. */
function older(message: JsonObject, by: bigint): JsonObject {
  const job = jobOf(message) ?? {};
  return { job: { ...job, resourceVersion: String(BigInt(String(job.resourceVersion ?? 0)) - by) } };
}

function heartbeat(message: JsonObject): JsonObject {
  return { resourceVersion: jobOf(message)?.resourceVersion ?? "0", emittedAt: new Date().toISOString() };
}

const watches = countingStreams("jobId");

/** Of each watch the first record, and heartbeats; it ends with its job. Jobs take their time, so that more comes later. */
const heldBack: AlphaDecoration = {
  choices: { jobStageMs: [150, 200] },
  parts: ({ watch }) => ({
    async *watch(context, source) {
      let isFirst = true;
      for await (const news of watch(context, source)) {
        if (news === "heartbeat" || isFirst) yield news;
        else if (source.isTerminal(news)) return;
        if (news !== "heartbeat") isFirst = false;
      }
    },
  }),
};

export const streamFaults: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.one-of": {
    "WatchJob-both-members": [
      "sends a heartbeat with each job",
      onMessages(() => (message) => [
        jobOf(message) === undefined ? message : { ...message, heartbeat: heartbeat(message) },
      ]),
    ],
    "WatchJob-neither-member": [
      "sends an empty message before each job",
      onMessages(() => (message) => (jobOf(message) === undefined ? [message] : [{}, message])),
    ],
    "WatchJob-heartbeats-empty": [
      "sends heartbeats that hold none",
      onMessages(() => (message) => [jobOf(message) === undefined ? {} : message]),
    ],
  },
  "*.watch.subject": {
    "WatchJob-another-job": [
      "shows another job",
      onMessages(() => (message) => {
        const job = jobOf(message);
        return [job === undefined ? message : { job: { ...job, id: unknownId } }];
      }),
    ],
  },
  "*.watch.not-older": {
    "WatchJob-older-on-resume": [
      "begins a resumed watch before the version it was resumed from",
      onMessages((call) => {
        let begun = !isResumed(call);
        return (message) => {
          if (begun || jobOf(message) === undefined) return [message];
          begun = true;
          return [older(message, 1_000n), message];
        };
      }),
    ],
  },
  "*.watch.order": {
    "WatchJob-goes-back": [
      "shows an earlier version after each that is not the end",
      onMessages(
        () => (message) =>
          jobOf(message) === undefined || isFinal(message) ? [message] : [message, older(message, 1n)],
      ),
    ],
    "WatchJob-goes-back-midway": [
      "repeats the version before each version",
      onMessages(() => {
        let last: JsonObject | undefined;
        return (message) => {
          const before = last;
          if (jobOf(message) !== undefined) last = message;
          return before === undefined || jobOf(message) === undefined ? [message] : [message, before];
        };
      }),
    ],
  },
  "*.watch.no-loss": {
    "WatchJob-held-back": ["shows a watch how the job was as it began, and nothing while it is open", heldBack],
    "WatchJob-end-lost": [
      "never shows the end of a job",
      onMessages(() => (message) => (isFinal(message) ? [] : [message])),
    ],
    "WatchJob-end-lost-on-resume": [
      "does not show a resumed watch how the job ended",
      onMessages((call) => (message) => (isResumed(call) && isFinal(message) ? [] : [message])),
    ],
    "WatchJob-end-lost-when-finished": [
      "shows a finished job only to those who watched it run",
      onMessages(() => {
        let first = true;
        return (message) => {
          const lost = first && isFinal(message);
          first = false;
          return lost ? [] : [message];
        };
      }),
    ],
  },
  "*.records.agree": {
    "WatchJob-end-differs": [
      "shows less progress at the end than GetJob",
      onMessages(() => (message) => [isFinal(message) ? { job: { ...jobOf(message), progressPercent: 99 } } : message]),
    ],
    "WatchJob-watchers-differ": [
      "shows a running job as queued to every second watcher",
      onMessages((call) => {
        const second = watches(call) % 2 === 0;
        return (message) => {
          const job = jobOf(message);
          return [
            second && job?.state === "JOB_STATE_RUNNING" ? { job: { ...job, state: "JOB_STATE_QUEUED" } } : message,
          ];
        };
      }),
    ],
  },
  "*.watch.heartbeat": {
    "WatchJob-heartbeat-behind": [
      "sends heartbeats of the first version, whatever it has shown",
      {
        choices: { heartbeatMs: 2 },
        ...changedReply("alpha.v1.JobService/WatchJob", "heartbeat.resourceVersion", () => "1"),
      },
    ],
  },
  "*.stream.sequence": {
    "RunStream-sequence-stands": [
      "numbers every message 1",
      onMessages(() => (message) => [{ ...message, sequence: 1 }]),
    ],
    "RunStream-sequence-goes-back": [
      "counts down",
      onMessages(() => (message) => [{ ...message, sequence: 100 - Number(message.sequence) }]),
    ],
    "RunStream-sequence-repeats": ["sends each message twice", onMessages(() => (message) => [message, message])],
    "RunStream-sequence-missing": [
      "numbers nothing",
      onMessages(() => ({ output }) => [{ output: output ?? "" }]),
    ],
  },
});
