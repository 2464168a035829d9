import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgeRuns } from "./runs.ts";

function clausesOf(run: JsonObject): readonly string[] | undefined {
  return judgeRuns(unaryReply("beta.v1.RunService/GetRun", {}, { run }))?.map(({ clause }) => clause);
}

const error = { reason: "ERROR_REASON_INTERNAL" };

describe("judgeRuns", () => {
  test.each([
    [{ state: "RUN_STATE_RUNNING" }],
    [{ state: "RUN_STATE_FAILED", error }],
    [{ state: "RUN_STATE_OUTCOME_UNKNOWN" }],
    [{ state: "RUN_STATE_OUTCOME_UNKNOWN", error }],
    [{ state: "RUN_STATE_SUCCEEDED", settledCustomerCost: { millionths: "1200" } }],
    [{ state: "RUN_STATE_SUCCEEDED", settledCustomerCost: { millionths: "-0" } }],
  ])("finds nothing wrong with %j", (run) => {
    expect(clausesOf(run)).toEqual([]);
  });

  test.each([
    [{ state: "RUN_STATE_FAILED" }, "*.errors.run"],
    [{ state: "RUN_STATE_FAILED", error: { correlationId: "a" } }, "*.errors.run"],
    [{ state: "RUN_STATE_SUCCEEDED", error }, "*.errors.run"],
    [{ state: "RUN_STATE_RUNNING", settledCustomerCost: { millionths: "-1" } }, "*.runs.cost"],
  ])("finds what is wrong with %j", (run, clause) => {
    expect(clausesOf(run)).toEqual([clause]);
  });
});
