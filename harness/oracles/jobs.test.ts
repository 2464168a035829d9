import { describe, expect, test } from "vitest";
import { judgeJob } from "./jobs.ts";

const clausesOf = (job: Parameters<typeof judgeJob>[0]) => judgeJob(job, "job").map(({ clause }) => clause);
const completedAt = "2026-01-01T00:00:00Z";
const terminalError = { reason: "ERROR_REASON_INTERNAL" };

describe("judgeJob", () => {
  test.each([
    [{ state: "JOB_STATE_QUEUED" }],
    [{ state: "JOB_STATE_RUNNING", progressPercent: 100, completedAt: null }],
    [{ state: "JOB_STATE_CANCELED", completedAt }],
    [{ state: "JOB_STATE_FAILED", completedAt, terminalError }],
    [{ state: "JOB_STATE_UNSPECIFIED", completedAt }],
    [{ state: "JOB_STATE_CANCELED", completedAt, terminalError }],
    [{ state: "JOB_STATE_CANCELING", terminalError }],
    [{ state: "RUN_STATE_AWAITING_SETTLEMENT" }],
    [{ state: "RUN_STATE_FAILED", completedAt }],
  ])("finds nothing wrong with %j", (job) => {
    expect(clausesOf(job)).toEqual([]);
  });

  test.each([
    [{ state: "JOB_STATE_SUCCEEDED" }, "*.jobs.completed-at"],
    [{ state: "RUN_STATE_OUTCOME_UNKNOWN" }, "*.jobs.completed-at"],
    [{ state: "RUN_STATE_AWAITING_APPROVAL", completedAt }, "*.jobs.completed-at"],
    [{ state: "JOB_STATE_CANCELING", completedAt }, "*.jobs.completed-at"],
    [{ state: "JOB_STATE_FAILED", completedAt }, "*.errors.terminal"],
    [{ state: "JOB_STATE_SUCCEEDED", completedAt, terminalError }, "*.errors.terminal-of-failed"],
    [{ state: "JOB_STATE_RUNNING", terminalError }, "*.errors.terminal-of-failed"],
    [{ state: "JOB_STATE_FAILED", completedAt, terminalError: { correlationId: "a" } }, "*.enums.specified"],
    [{ state: "JOB_STATE_RUNNING", progressPercent: 101 }, "*.jobs.progress"],
  ])("finds what is wrong with %j", (job, clause) => {
    expect(clausesOf(job)).toEqual([clause]);
  });
});
