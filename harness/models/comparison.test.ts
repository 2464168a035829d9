import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { SecretSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { Change } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";
import { compare } from "./comparison.ts";
import type { RecordRules, TrackedRecord } from "./tracked-record.ts";

const steady: RecordRules = {
  message: SecretSchema,
  path: "secret",
  callerFields: new Set(["name"]),
  settled: () => true,
  forbiddenChange: () => undefined,
  mutationOf: () => undefined,
  isHidden: () => false,
  isTombstone: (record) => record.deletedAt !== undefined,
};
const moving: RecordRules = {
  ...steady,
  settled: () => false,
  forbiddenChange: (_before, after) =>
    after.name === "forbidden" ? { clause: "*.jobs.settle", expected: "another name" } : undefined,
  mutationOf: (_before, after) => (after.name === "mutated" ? Change.CANCELS : undefined),
};

const record = (version: number, name = "a"): JsonObject => ({
  name,
  resourceVersion: String(version),
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: `2026-01-01T00:00:0${version}Z`,
});

function tracked(numbers: readonly number[], more: Partial<TrackedRecord> = {}): TrackedRecord {
  const versions = numbers.map((version) => ({ version: String(version), record: record(version) }));
  return {
    id: { value: "x" },
    name: "secret a",
    versions,
    deleted: false,
    confirmed: true,
    changes: new Set(),
    noEffectCalls: [],
    ...more,
  };
}

const comparisonOf = (one: TrackedRecord, shown: JsonObject | undefined, rules = steady) =>
  compare(one, shown, String(shown?.resourceVersion ?? ""), rules);

describe("of a record that only mutations change", () => {
  test("the current version matches", () => {
    expect(comparisonOf(tracked([1, 2]), record(2))).toEqual({ is: "match" });
  });

  test("an earlier version, or none, is stale", () => {
    expect(comparisonOf(tracked([1, 2]), record(1))).toMatchObject({ is: "stale", clause: "*.records.agree" });
    expect(comparisonOf(tracked([1, 2]), undefined)).toMatchObject({ is: "stale", clause: "*.endpoints.served" });
  });

  test("an earlier version mixed with another is a mismatch", () => {
    expect(comparisonOf(tracked([1, 2]), record(1, "b"))).toMatchObject({ is: "mismatch", clause: "*.records.agree" });
    expect(comparisonOf(tracked([1, 2]), { ...record(2), updatedAt: "2026-01-01T00:00:01Z" })).toMatchObject({
      is: "mismatch",
    });
  });

  test("a version no mutation returned is a mismatch, under another clause where its fields differ", () => {
    expect(comparisonOf(tracked([1]), record(2))).toMatchObject({ is: "mismatch", clause: "*.versioning.reads-keep" });
    expect(comparisonOf(tracked([1]), record(2, "b"))).toMatchObject({ is: "mismatch", clause: "*.records.agree" });
  });
});

describe("of a deleted record", () => {
  const deleted = tracked([1, 2], { deleted: true });

  test("nothing, or a tombstone, matches", () => {
    expect(comparisonOf(deleted, undefined)).toEqual({ is: "match" });
    expect(comparisonOf(deleted, { ...record(3), deletedAt: "2026-01-01T00:00:09Z" })).toEqual({ is: "match" });
  });

  test("an existing record is stale", () => {
    expect(comparisonOf(deleted, record(2))).toMatchObject({ is: "stale", clause: "*.deletion.effective" });
  });
});

describe("of a record that changes by itself", () => {
  test("a new version advances it", () => {
    expect(comparisonOf(tracked([1]), record(2), moving)).toMatchObject({ is: "advanced", version: { version: "2" } });
  });

  test("a forbidden change is a mismatch", () => {
    expect(comparisonOf(tracked([1]), record(2, "forbidden"), moving)).toMatchObject({
      is: "mismatch",
      clause: "*.jobs.settle",
    });
  });

  test("a change that only a mutation makes is a mismatch after a call that must have had no effect", () => {
    const noEffectCalls = [{ reply: {} as Reply, clause: "*.versioning.expected" }];
    const free: RecordRules = { ...moving, callerFields: new Set() };
    expect(comparisonOf(tracked([1]), record(2, "mutated"), free)).toMatchObject({ is: "advanced" });
    expect(comparisonOf(tracked([1], { noEffectCalls }), record(2, "mutated"), free)).toMatchObject({
      is: "mismatch",
      clause: "*.versioning.expected",
    });
    // One that was served before may take effect a moment later.
    const changes = new Set([Change.CANCELS]);
    expect(comparisonOf(tracked([1], { noEffectCalls, changes }), record(2, "mutated"), free)).toMatchObject({
      is: "advanced",
    });
  });

  test("fields that callers set stay the same", () => {
    expect(comparisonOf(tracked([1]), record(2, "b"), moving)).toMatchObject({
      is: "mismatch",
      clause: "*.records.agree",
    });
  });
});
