import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { readUnary } from "../wire/reply.ts";
import { judgeRuns } from "./runs.ts";

function clausesOf(run: JsonObject): readonly string[] | undefined {
  const name = "beta.v1.RunService/GetRun";
  const bytes = Buffer.from(JSON.stringify({ run }));
  const reply = readUnary(
    rpc(name),
    {},
    {
      number: 1,
      rpc: name,
      request: { method: "POST", url: "http://127.0.0.1/", headers: [], body: new Uint8Array() },
      response: { status: 200, headers: [], trailers: [], chunks: [{ at: 1, bytes }], ended: true },
      failure: undefined,
      startedAt: 0,
      durationMs: 1,
    },
  );
  return judgeRuns(reply)?.map(({ clause }) => clause);
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
