import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import { defineFault, type Fault } from "../fault.ts";
import { type Rewrite, rewriting } from "../rewriting.ts";

const watch = "alpha.v1.JobService/WatchJob";
const run = "alpha.v1.PublicTestFixtureService/RunStream";

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

/** Counts the watches of each job, over calls. */
function countingWatches(): (call: Call) => number {
  const counts = new Map<string, number>();
  return (call) => {
    const id = JSON.stringify(call.request.jobId ?? null);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count;
  };
}
const watches = countingWatches();

type Row = readonly [id: string, breaks: string, says: string, rewrite: Rewrite];

const watchRows: readonly Row[] = [
  [
    "both-members",
    "alpha.watch.one-of",
    "sends a heartbeat with each job",
    () => (message) => [jobOf(message) === undefined ? message : { ...message, heartbeat: heartbeat(message) }],
  ],
  [
    "neither-member",
    "alpha.watch.one-of",
    "sends an empty message before each job",
    () => (message) => (jobOf(message) === undefined ? [message] : [{}, message]),
  ],
  [
    "heartbeats-empty",
    "alpha.watch.one-of",
    "sends heartbeats that hold none",
    () => (message) => [jobOf(message) === undefined ? {} : message],
  ],
  [
    "another-job",
    "alpha.watch.subject",
    "shows another job",
    () => (message) => {
      const job = jobOf(message);
      return [job === undefined ? message : { job: { ...job, id: { value: "01890a5d-ac96-774b-bcce-b302099a8057" } } }];
    },
  ],
  [
    "older-on-resume",
    "alpha.watch.not-older",
    "begins a resumed watch before the version it was resumed from",
    (call) => {
      let begun = !isResumed(call);
      return (message) => {
        if (begun || jobOf(message) === undefined) return [message];
        begun = true;
        return [older(message, 1_000n), message];
      };
    },
  ],
  [
    "goes-back",
    "alpha.watch.order",
    "shows an earlier version after each that is not the end",
    () => (message) => (jobOf(message) === undefined || isFinal(message) ? [message] : [message, older(message, 1n)]),
  ],
  [
    "goes-back-midway",
    "alpha.watch.order",
    "repeats the version before each version",
    () => {
      let last: JsonObject | undefined;
      return (message) => {
        const before = last;
        if (jobOf(message) !== undefined) last = message;
        return before === undefined || jobOf(message) === undefined ? [message] : [message, before];
      };
    },
  ],
  [
    "end-lost",
    "alpha.watch.no-loss",
    "never shows the end of a job",
    () => (message) => (isFinal(message) ? [] : [message]),
  ],
  [
    "end-lost-on-resume",
    "alpha.watch.no-loss",
    "does not show a resumed watch how the job ended",
    (call) => (message) => (isResumed(call) && isFinal(message) ? [] : [message]),
  ],
  [
    "end-lost-when-finished",
    "alpha.watch.no-loss",
    "shows a finished job only to those who watched it run",
    () => {
      let first = true;
      return (message) => {
        const lost = first && isFinal(message);
        first = false;
        return lost ? [] : [message];
      };
    },
  ],
  [
    "end-differs",
    "alpha.records.agree",
    "shows less progress at the end than GetJob",
    () => (message) => [isFinal(message) ? { job: { ...jobOf(message), progressPercent: 99 } } : message],
  ],
  [
    "watchers-differ",
    "alpha.records.agree",
    "shows a running job as queued to every second watcher",
    (call) => {
      const second = watches(call) % 2 === 0;
      return (message) => {
        const job = jobOf(message);
        return [
          second && job?.state === "JOB_STATE_RUNNING" ? { job: { ...job, state: "JOB_STATE_QUEUED" } } : message,
        ];
      };
    },
  ],
];

const streamRows: readonly Row[] = [
  [
    "sequence-stands",
    "alpha.stream.sequence",
    "numbers every message 1",
    () => (message) => [{ ...message, sequence: 1 }],
  ],
  [
    "sequence-goes-back",
    "alpha.stream.sequence",
    "counts down",
    () => (message) => [{ ...message, sequence: 100 - Number(message.sequence) }],
  ],
  ["sequence-repeats", "alpha.stream.sequence", "sends each message twice", () => (message) => [message, message]],
  [
    "sequence-missing",
    "alpha.stream.sequence",
    "numbers nothing",
    () =>
      ({ output }) => [{ output: output ?? "" }],
  ],
  [
    "output-missing",
    "alpha.endpoints.served",
    "sends no output",
    () =>
      ({ sequence }) => [{ sequence: sequence ?? 0 }],
  ],
];

export const streamFaults: readonly Fault[] = [
  ...watchRows.map(([id, breaks, says, rewrite]) =>
    defineFault({
      id: `stream/watch-${id}`,
      says: `WatchJob ${says}`,
      breaks,
      rpc: watch,
      decoration: rewriting(watch, rewrite),
    }),
  ),
  ...streamRows.map(([id, breaks, says, rewrite]) =>
    defineFault({
      id: `stream/${id}`,
      says: `RunStream ${says}`,
      breaks,
      rpc: run,
      decoration: rewriting(run, rewrite),
    }),
  ),
];
