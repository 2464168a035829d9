import { expect, test } from "vitest";
import type { Triage } from "../harness/case/result.ts";
import { entriesOf } from "./entries.ts";
import { groupFailures, repeatsOf } from "./evidence.ts";
import { sampleCaseOf, sampleFindingOf } from "./sample.ts";

/** What is said of one breach on these RPCs, each with its class. */
function saidOf(...classes: readonly (readonly [method: string, triage: Triage | undefined])[]): readonly string[] {
  const entries = classes.flatMap(([method, triage]) => {
    const rpc = `alpha.v1.SecretService/${method}`;
    const findings = [sampleFindingOf({ rpc })];
    const over = { rpc, outcome: "violated", findings, ...(triage === undefined ? {} : { triage }) } as const;
    return entriesOf(sampleCaseOf(over));
  });
  const [group] = groupFailures(entries);
  return group === undefined ? [] : repeatsOf(group);
}

test("how a breach behaved when it was repeated is said once, or by RPC where they differ", () => {
  expect(saidOf(["GetSecret", undefined])).toEqual([]);
  expect(saidOf(["GetSecret", "racy"])).toEqual(["racy: red at times when it was repeated"]);
  expect(saidOf(["GetSecret", "racy"], ["ListSecrets", "racy"])).toHaveLength(1);
  expect(saidOf(["GetSecret", "unreproduced"], ["ListSecrets", "deterministic"], ["RotateSecret", undefined])).toEqual([
    "unreproduced (GetSecret): never red again when it was repeated",
    "deterministic (ListSecrets): red every time it was repeated",
  ]);
});
