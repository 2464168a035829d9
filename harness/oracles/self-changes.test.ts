import { expect, test } from "vitest";
import { judgeAttemptOrder, judgeNextAttempt, judgeSelfChanges } from "./self-changes.ts";

const record = (state: string, resourceVersion: string, attemptCount = 0) => ({ state, resourceVersion, attemptCount });
const clause = "*.jobs.attempts-counted";

test("a change of state or attempts moves the version", () => {
  const moved = [record("QUEUED", "1"), record("RUNNING", "2", 1), record("RUNNING", "2", 1), record("QUEUED", "3", 1)];
  expect(judgeSelfChanges(moved, "job")).toEqual([]);
  expect(judgeSelfChanges([record("QUEUED", "1"), record("RUNNING", "1")], "job")).toMatchObject([
    { clause: "*.records.agree", at: "job.state", actual: '"RUNNING"' },
  ]);
  expect(judgeSelfChanges([record("PENDING", "4", 1), record("PENDING", "4", 2)], "deliveries[]")).toMatchObject([
    { at: "deliveries[].attemptCount", actual: "2" },
  ]);
});

test("a version that is left out is the version zero", () => {
  expect(judgeSelfChanges([{ state: "QUEUED" }, { state: "RUNNING", resourceVersion: "0" }], "job")).toHaveLength(1);
  expect(judgeSelfChanges([{ state: "QUEUED" }, { state: "QUEUED" }], "job")).toEqual([]);
});

test("progress at one version is left to the server", () => {
  const shown = [
    { ...record("RUNNING", "2"), progressPercent: 1 },
    { ...record("RUNNING", "2"), progressPercent: 2 },
  ];
  expect(judgeSelfChanges(shown, "job")).toEqual([]);
});

test("attempts do not fall, but in an older reading that comes later", () => {
  expect(judgeAttemptOrder([record("A", "1", 0), record("A", "2", 1), record("B", "3", 1)], clause, "job")).toEqual([]);
  expect(judgeAttemptOrder([record("A", "2", 2), record("B", "1", 1)], clause, "job")).toEqual([]);
  expect(judgeAttemptOrder([record("A", "2", 2), record("B", "3", 1)], clause, "job")).toEqual([
    { clause, at: "job.attemptCount", expected: "2 or more, as shown before", actual: "1" },
  ]);
});

test("a job that succeeds after it waited for another attempt has counted it, however it counts", () => {
  const job = (state: string, resourceVersion: string, attemptCount: number, nextAttemptAt = "") => ({
    ...record(`JOB_STATE_${state}`, resourceVersion, attemptCount),
    ...(nextAttemptAt !== "" && { nextAttemptAt }),
  });
  const soon = "2026-01-01T00:00:00Z";
  const told = (...counts: readonly [number, number, number, number]) =>
    judgeNextAttempt(
      [
        job("RUNNING", "2", counts[0]),
        job("QUEUED", "3", counts[1], soon),
        job("RUNNING", "4", counts[2]),
        job("SUCCEEDED", "5", counts[3]),
      ],
      clause,
      "job",
    );
  expect(told(1, 1, 2, 2)).toEqual([]);
  expect(told(0, 1, 1, 2)).toEqual([]);
  expect(told(1, 2, 2, 2)).toEqual([]);
  expect(told(0, 1, 1, 1)).toEqual([]);
  expect(told(1, 1, 1, 1)).toEqual([
    { clause, at: "job.attemptCount", expected: "more than 1, as before its next attempt", actual: "1" },
  ]);
  // A first attempt may be planned, too; readings may be late; and a job may be given up.
  const planned = [job("QUEUED", "1", 1, soon), job("RUNNING", "2", 1), job("SUCCEEDED", "3", 1)];
  expect(judgeNextAttempt(planned, clause, "job")).toEqual([]);
  expect(judgeNextAttempt([planned[1] ?? {}, planned[0] ?? {}, planned[2] ?? {}], clause, "job")).toEqual([]);
  const givenUp = [job("RUNNING", "2", 1), job("QUEUED", "3", 1, soon), job("FAILED", "4", 1)];
  expect(judgeNextAttempt(givenUp, clause, "job")).toEqual([]);
});
