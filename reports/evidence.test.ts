import { expect, test } from "vitest";
import type { Triage } from "../harness/case/result.ts";
import { entriesOf } from "./entries.ts";
import { gatingOf, groupFailures, repeatsOf } from "./evidence.ts";
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

test("a report begins with the warning that all that gates comes of, wherever that was found, and does not count it as violated", () => {
  const refused = {
    clause: "alpha.endpoints.served",
    rpc: "alpha.v1.ArtifactService/GetArtifact",
    expected: "the call is served",
    actual: "refused: HTTP 404 not_found",
  } as const;
  const red = entriesOf(sampleCaseOf({ rpc: refused.rpc, outcome: "violated", findings: [sampleFindingOf(refused)] }));
  const deletion = "alpha.v1.JobService/DeleteJob";
  const taken = sampleFindingOf({ clause: "alpha.deletion.leaves-inputs", rpc: deletion, level: "should" });
  const warned = entriesOf(sampleCaseOf({ rpc: deletion, outcome: "held", findings: [taken] }));
  const groups = groupFailures(red, [...red, ...warned]);
  expect(groups.map(({ first }) => first.finding.rpc)).toEqual([deletion, refused.rpc]);
  expect(gatingOf(groups)).toBe(1);
});
