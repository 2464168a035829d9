import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { streamReply } from "../wire/exchange.testing.ts";
import { judgeSequence, judgeWatch, versionNumber } from "./watch.ts";

const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };
const job = (resourceVersion: string, changes: JsonObject = {}) => ({ job: { id, resourceVersion, ...changes } });
const heartbeat = (resourceVersion: string, emittedAt: string | null = "2026-01-01T00:00:00Z") => ({
  heartbeat: { resourceVersion, emittedAt },
});

function clausesOf(messages: readonly JsonObject[], request: JsonObject = { jobId: id }) {
  return judgeWatch(streamReply("alpha.v1.JobService/WatchJob", request, messages))?.map(({ clause }) => clause);
}

describe("judgeWatch", () => {
  test("finds nothing wrong with a history, heartbeats and repeated versions", () => {
    expect(clausesOf([job("9"), heartbeat("9"), job("9"), job("10")])).toEqual([]);
  });

  test("a snapshot at the version resumed from may be sent again", () => {
    expect(clausesOf([job("9")], { jobId: id, afterResourceVersion: "9" })).toEqual([]);
    expect(clausesOf([job("8")], { jobId: id, afterResourceVersion: "9" })).toEqual(["*.watch.not-older"]);
  });

  test("finds both, neither, another job and versions that go back", () => {
    expect(clausesOf([{ ...job("1"), ...heartbeat("1") }])).toEqual(["*.watch.one-of"]);
    expect(clausesOf([{}])).toEqual(["*.watch.one-of"]);
    expect(clausesOf([job("1", { id: { value: "another" } })])).toEqual(["*.watch.subject"]);
    expect(clausesOf([job("10"), job("9")])).toEqual(["*.watch.order"]);
  });

  test("finds heartbeats without their time, and behind what was shown", () => {
    expect(clausesOf([heartbeat("3"), job("9"), heartbeat("10"), job("9")])).toEqual([]);
    expect(clausesOf([heartbeat("3", null)])).toEqual(["*.watch.heartbeat"]);
    expect(clausesOf([job("9"), heartbeat("8")])).toEqual(["*.watch.heartbeat"]);
  });

  test("finds heartbeats of one instant that came one after the other, as far as their precision tells", () => {
    const beats = (emittedAt: string, ms: number) => {
      const messages = [heartbeat("1", emittedAt), heartbeat("1", emittedAt)];
      const reply = streamReply("alpha.v1.JobService/WatchJob", { jobId: id }, messages);
      const apart = reply.messages.map((message, index) => ({ ...message, at: index * ms }));
      return judgeWatch({ ...reply, messages: apart })?.map(({ clause }) => clause);
    };
    expect(beats("2026-01-01T00:00:00.123Z", 100)).toEqual(["*.watch.heartbeat"]);
    expect(beats("2026-01-01T00:00:00.123Z", 5)).toEqual([]);
    expect(beats("2026-01-01T00:00:00Z", 900)).toEqual([]);
    expect(beats("2026-01-01T00:00:00.250Z", 900), "a clock of quarters").toEqual([]);
    expect(beats("2026-01-01T00:00:00Z", 3000)).toEqual(["*.watch.heartbeat"]);
  });

  test("says nothing where nothing came", () => {
    expect(clausesOf([])).toBeUndefined();
  });
});

describe("judgeSequence", () => {
  const clauses = (sequences: readonly number[]) => {
    const messages = sequences.map((sequence) => ({ sequence, output: "" }));
    const reply = streamReply("alpha.v1.PublicTestFixtureService/RunStream", {}, messages);
    return judgeSequence(reply, "sequence")?.length;
  };

  test("gaps are fine, repeats and steps back are not", () => {
    expect(clauses([0, 1, 7])).toBe(0);
    expect(clauses([1, 1, 2])).toBe(1);
    expect(clauses([3, 2, 1])).toBe(2);
  });
});

test("versions compare beyond 2^53", () => {
  expect(versionNumber("9007199254740993")).toBe(9_007_199_254_740_993n);
  expect(versionNumber(undefined)).toBe(0n);
  expect(versionNumber("x")).toBeUndefined();
});
