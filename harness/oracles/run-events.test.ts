import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { streamReply } from "../wire/exchange.testing.ts";
import { judgeRunEvents } from "./run-events.ts";

const runId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };
const event = (sequence: string, changes: JsonObject = {}) => ({
  event: { eventId: runId, runId, sequence, occurredAt: "2026-01-01T00:00:00Z", ...changes },
});
const state = (sequence: string, runResourceVersion: string, changes: JsonObject = {}) =>
  event(sequence, { state: "RUN_STATE_RUNNING", runResourceVersion, ...changes });

function clausesOf(method: string, messages: readonly JsonObject[], request: JsonObject = {}, versionsFall = false) {
  const reply = streamReply(`beta.v1.RunService/${method}`, { runId, ...request }, messages);
  return judgeRunEvents(reply, { versionsFall: () => versionsFall })?.map(({ clause }) => clause);
}

describe("judgeRunEvents", () => {
  test("versions that go back are a breach, unless those of the target have no order", () => {
    const messages = [state("1", "7"), state("2", "3")];
    expect(clausesOf("WatchRun", messages)).toEqual(["*.watch.order"]);
    expect(clausesOf("WatchRun", messages, {}, true)).toEqual([]);
  });

  test("says nothing of a stream without messages", () => {
    expect(clausesOf("WatchRun", [])).toBeUndefined();
  });

  test("of a run that the request does not name by a field that is read nothing is said", () => {
    const reply = streamReply("beta.v1.RunService/WatchRun", {}, [state("1", "1")]);
    expect(judgeRunEvents(reply, { versionsFall: () => false })).toEqual([]);
  });

  test("finds nothing wrong with events in order, resumed or not", () => {
    expect(clausesOf("WatchRun", [state("0", "1"), state("1", "2"), state("2", "2")])).toEqual([]);
    expect(clausesOf("WatchRun", [state("3", "4")], { afterSequence: "2" })).toEqual([]);
    expect(clausesOf("StreamRunText", [event("1"), event("2", { final: true })])).toEqual([]);
  });

  test.each([
    ["WatchRun", [{}], {}, "*.watch.shape"],
    ["WatchRun", [state("1", "1", { state: "RUN_STATE_UNSPECIFIED" })], {}, "*.enums.specified"],
    ["WatchRun", [state("1", "1", { occurredAt: null })], {}, "*.records.filled"],
    [
      "WatchRun",
      [state("1", "1", { runId: { value: "01890a5d-0000-774b-bcce-b302099a8057" } })],
      {},
      "*.watch.subject",
    ],
    ["WatchRun", [state("2", "1")], { afterSequence: "2" }, "*.watch.not-older"],
    ["WatchRun", [state("1", "3"), state("2", "2")], {}, "*.watch.order"],
    ["StreamRunText", [event("2")], { afterSequence: "2" }, "*.text.after"],
    ["StreamRunText", [event("1", { final: true }), event("2")], {}, "*.text.final"],
  ])("finds what is wrong on %s with %j after %j", (method, messages, request, clause) => {
    expect(clausesOf(method, messages, request)).toEqual([clause]);
  });
});
