import { expect, test } from "vitest";
import { isOver, isSettled } from "./states.ts";

test.each([
  [{ state: "JOB_STATE_RUNNING" }, false, false],
  [{ state: "RUN_STATE_CANCELING" }, false, false],
  [{ state: "RUN_STATE_OUTCOME_UNKNOWN" }, true, true],
  [{ state: "APPROVAL_STATE_REJECTED" }, true, true],
  // A redelivery takes it up again.
  [{ state: "WEBHOOK_DELIVERY_STATE_FAILED" }, false, true],
  [{ state: 7 }, false, false],
  [{}, false, false],
])("%j is over: %j, settled: %j", (record, over, settled) => {
  expect([isOver(record), isSettled(record)]).toEqual([over, settled]);
});
