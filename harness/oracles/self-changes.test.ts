import { expect, test } from "vitest";
import { judgeAttemptOrder, judgeSelfChanges } from "./self-changes.ts";

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
