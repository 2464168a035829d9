import { describe, expect, test } from "vitest";
import type { Change } from "../../proto/rpcs.ts";
import { deletingMutation, type VersionChoice } from "./commands.ts";
import { type ModelRecord, modelKind } from "./model.ts";
import { describeVersionChoice, mutationOf, versionFor } from "./version-choice.ts";

const kind = modelKind("secret", "alpha.v1", () => false);
const rotation = mutationOf(kind, 0);
if (rotation === undefined) throw new Error("secrets have no mutation");

function recordAt(numbers: readonly number[], deleted = false): ModelRecord {
  const versions = numbers.map((version) => ({ version: String(version), record: {} }));
  const known = { versions, changes: new Set<Change>(), deleted, confirmed: true };
  const tracked = { id: null, name: "secret a", ...known, noEffectCalls: [] };
  return { tracked, kind, subject: {} as ModelRecord["subject"] };
}

const chosen = (record: ModelRecord, version: VersionChoice, variation = 0) =>
  versionFor(record, rotation, { type: "mutate", record: 0, mutation: 0, version, variation });

describe("versionFor", () => {
  test.each<[VersionChoice, string | undefined]>([
    ["current", "7"],
    ["omitted", "7"],
    ["other-tenant", "7"],
    ["future", "4294967303"],
    ["stale", "3"],
  ])("of %s, at versions 0, 3, 5 and 7, is %s", (choice, version) => {
    expect(chosen(recordAt([0, 3, 5, 7]), choice)).toBe(version);
  });

  test("a stale version is one of the earlier ones; a record without one has none", () => {
    expect(chosen(recordAt([3, 5, 7]), "stale", 1)).toBe("5");
    expect(chosen(recordAt([3, 5, 7]), "stale", 2)).toBe("3");
    expect(chosen(recordAt([0, 7]), "stale")).toBeUndefined();
  });

  test("a deleted record is mutated at its last version, but not by another tenant", () => {
    expect(chosen(recordAt([3, 7], true), "stale")).toBe("7");
    expect(chosen(recordAt([3, 7], true), "other-tenant")).toBeUndefined();
  });

  test("a mutation that does not name the record is not sent by another tenant", () => {
    const unnamed = { ...rotation, row: { ...rotation.row, ids: [] } };
    const command = { type: "mutate", record: 0, mutation: 0, version: "other-tenant", variation: 0 } as const;
    expect(versionFor(recordAt([7]), unnamed, command)).toBeUndefined();
  });
});

describe("mutationOf", () => {
  test("the deleting mutation has a number of its own, the others share the rest", () => {
    expect(mutationOf(kind, deletingMutation)?.row.method).toBe("DeleteSecret");
    for (let number = 0; number < deletingMutation; number += 1) {
      expect(mutationOf(kind, number)?.row.method).toBe("RotateSecret");
    }
  });

  test("a kind without one of the two sorts has the other under every number", () => {
    const runs = modelKind("run", "beta.v1", () => false);
    expect(mutationOf(runs, deletingMutation)?.row.method).toBe("CancelRun");
    expect(mutationOf({ ...kind, mutations: [] }, 0)).toBeUndefined();
  });
});

test.each<[VersionChoice, boolean, string]>([
  ["current", false, "at version 7"],
  ["current", true, "at version 7, deleted"],
  ["stale", false, "at version 7, an earlier one"],
  ["stale", true, "at version 7, deleted"],
  ["future", false, "at version 7, one it never had"],
  ["omitted", false, "without a version"],
  ["other-tenant", false, "at version 7, by another tenant"],
])("%s, deleted %s, is told as %j", (choice, deleted, words) => {
  expect(describeVersionChoice(choice, "7", deleted)).toBe(words);
});
