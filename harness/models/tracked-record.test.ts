import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { SecretSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import type { Reply } from "../wire/reply.ts";
import { compare, type RecordRules, type TrackedRecord } from "./tracked-record.ts";

const steady: RecordRules = {
  message: SecretSchema,
  chosen: new Set(["name"]),
  settled: () => true,
  forbids: () => undefined,
  betrays: () => false,
  isTombstone: (record) => record.deletedAt !== undefined,
};
const moving: RecordRules = {
  ...steady,
  settled: () => false,
  forbids: (_before, now) => (now.name === "forbidden" ? { clause: "*.jobs.settle", says: "no such way" } : undefined),
  betrays: (_before, now) => now.name === "betrayed",
};

const record = (version: number, name = "a"): JsonObject => ({
  name,
  resourceVersion: String(version),
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: `2026-01-01T00:00:0${version}Z`,
});

function thing(versions: readonly number[], more: Partial<TrackedRecord> = {}): TrackedRecord {
  const stages = versions.map((version) => ({ version: String(version), record: record(version) }));
  return { id: { value: "x" }, name: "secret a", stages, ended: false, seen: true, suspects: [], ...more };
}

const sightOf = (one: TrackedRecord, seen: JsonObject | undefined, nature = steady) =>
  compare(one, seen, String(seen?.resourceVersion ?? ""), nature);

describe("of a record that only mutations change", () => {
  test("the stage it is at is right", () => {
    expect(sightOf(thing([1, 2]), record(2))).toEqual({ is: "right" });
  });

  test("a stage it was at may be a copy that lags", () => {
    expect(sightOf(thing([1, 2]), record(1))).toMatchObject({ is: "behind", clause: "*.records.agree" });
    expect(sightOf(thing([1, 2]), undefined)).toMatchObject({ is: "behind", clause: "*.endpoints.served" });
  });

  test("a stage it was at, mixed with another, is wrong", () => {
    expect(sightOf(thing([1, 2]), record(1, "b"))).toMatchObject({ is: "wrong", clause: "*.records.agree" });
    expect(sightOf(thing([1, 2]), { ...record(2), updatedAt: "2026-01-01T00:00:01Z" })).toMatchObject({ is: "wrong" });
  });

  test("a version nobody was told of is wrong, the more so with another body", () => {
    expect(sightOf(thing([1]), record(2))).toMatchObject({ is: "wrong", clause: "*.versioning.reads-keep" });
    expect(sightOf(thing([1]), record(2, "b"))).toMatchObject({ is: "wrong", clause: "*.records.agree" });
  });
});

describe("of a deleted record", () => {
  const ended = thing([1, 2], { ended: true });

  test("nothing, or what is marked as deleted, is right", () => {
    expect(sightOf(ended, undefined)).toEqual({ is: "right" });
    expect(sightOf(ended, { ...record(3), deletedAt: "2026-01-01T00:00:09Z" })).toEqual({ is: "right" });
  });

  test("a live one may be a copy that lags", () => {
    expect(sightOf(ended, record(2))).toMatchObject({ is: "behind", clause: "*.deletion.effective" });
  });
});

describe("of a record that moves by itself", () => {
  test("a new version is its next stage", () => {
    expect(sightOf(thing([1]), record(2), moving)).toMatchObject({ is: "moved", stage: { version: "2" } });
  });

  test("ways it must not go are wrong", () => {
    expect(sightOf(thing([1]), record(2, "forbidden"), moving)).toMatchObject({ is: "wrong", clause: "*.jobs.settle" });
  });

  test("what only a mutation does is wrong after one that must have had no effect", () => {
    const suspects = [{ reply: {} as Reply, clause: "*.versioning.expected" }];
    const free: RecordRules = { ...moving, chosen: new Set() };
    expect(sightOf(thing([1]), record(2, "betrayed"), free)).toMatchObject({ is: "moved" });
    expect(sightOf(thing([1], { suspects }), record(2, "betrayed"), free)).toMatchObject({
      is: "wrong",
      clause: "*.versioning.expected",
    });
  });

  test("what callers chose stays all the same", () => {
    expect(sightOf(thing([1]), record(2, "b"), moving)).toMatchObject({ is: "wrong", clause: "*.records.agree" });
  });
});
