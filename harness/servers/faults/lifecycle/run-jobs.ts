import { inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";
import { another, drop, without } from "../values.ts";
import { fromSecondTime, inState, isIn } from "./states.ts";

const shown = { GetJob: "job", ListJobs: "jobs[]" };

export const runJobFaults: readonly Fault[] = faultsOf(
  "lifecycle",
  "beta.v1",
  {
    "*.jobs.agree": {
      ...inEach(shown, (path) => ({
        "of-another-run": ["names another run", inReply(`${path}.runId`, another)],
        "failed-as-succeeded": [
          "shows the job of a failed run as succeeded",
          inState(path, "FAILED", (job) => ({ ...job, state: "RUN_STATE_SUCCEEDED" })),
        ],
      })),
      "GetJob-unknown-as-failed": [
        "shows the job of a run of unknown outcome as failed",
        inState("job", "OUTCOME_UNKNOWN", (job) => ({ ...job, state: "RUN_STATE_FAILED" })),
      ],
      "GetJob-canceled-as-succeeded": [
        "shows the job of a canceled run as succeeded",
        inState("job", "CANCELED", (job) => ({ ...job, state: "RUN_STATE_SUCCEEDED" })),
      ],
    },
    "*.jobs.completed-at": {
      ...inEach(shown, (path) => ({
        "never-completed": ["leaves completedAt out", inReply(`${path}.completedAt`, drop)],
      })),
      "ListJobs-completed-too-soon": [
        "gives unfinished jobs a completedAt",
        inObject("jobs[]", (job) => ({ ...job, completedAt: job.completedAt ?? job.createdAt ?? "" })),
      ],
    },
    "*.records.times": {
      "GetJob-canceled-completed-at-its-creation": [
        "shows a job that was canceled as completed when it was created",
        inState("job", "CANCELED", (job) => ({ ...job, completedAt: job.createdAt ?? null })),
      ],
      ...inEach(shown, (path) => ({
        "made-later-than-completed": [
          "dates a job later than its completion",
          inObject(path, (job) =>
            job.completedAt === undefined ? job : { ...job, createdAt: "2099-01-01T00:00:00Z" },
          ),
        ],
      })),
      "GetJob-completed-before-its-run": [
        "dates the end of a job before its run was created",
        inObject("job", (job) =>
          job.completedAt === undefined
            ? job
            : { ...job, createdAt: "2001-01-01T00:00:00Z", completedAt: "2001-01-01T00:00:01Z" },
        ),
      ],
    },
    "*.runs.settle": {
      "GetJob-runs-again": [
        "shows a finished job as running again",
        fromSecondTime("job", isIn("SUCCEEDED"), (job) =>
          without({ ...job, state: "RUN_STATE_RUNNING" }, "completedAt"),
        ),
      ],
    },
  },
  // What one RPC shows wrongly is not what others show.
  { entails: ["*.records.agree"] },
);
