import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { areas } from "../case/area.ts";
import type { Results } from "../case/result.ts";
import { type Fault, loadFaults } from "../servers/faults/index.ts";
import { directory, hallmark, serveSandbox } from "./spawn.testing.ts";
import { splitWords } from "./words.ts";

const faults = await loadFaults();

/** A fault of alpha.v1 for each area, from the middle of the list, so that it is not always the first RPC's. */
const sampled = areas.flatMap((area): readonly Fault[] => {
  const own = faults.filter(
    ({ id, equivalent, rpc }) => id.startsWith(`${area}/`) && equivalent === undefined && rpc.startsWith("alpha."),
  );
  return own.slice(Math.floor(own.length / 2), Math.floor(own.length / 2) + 1);
});

/** Few values for each property: the command has to say so. */
const few = ["--seed", "11", "--runs", "5"];
const invariants = new Set((await loadCases()).filter(({ kind }) => kind === "invariant").map(({ id }) => String(id)));
const shown: string[] = [];

const resultsIn = (out: string): Results => JSON.parse(readFileSync(join(out, "results.json"), "utf8"));

/** What a report begins with: the likeliest cause, with the command it prints. */
function headlineOf(stdout: string) {
  const [, id, rpc, clause] = /^✗ (\S+\/\S+) · (\S+) {2}\S+ · (\S+)/m.exec(stdout) ?? [];
  const [, command] = /^ {2}replay +hallmark (.*)$/m.exec(stdout) ?? [];
  return id === undefined || rpc === undefined || command === undefined ? undefined : { id, rpc, clause, command };
}

/** Demands that a run finds the same breach as the headline names. */
function expectAgain(out: string, { id, rpc, clause }: NonNullable<ReturnType<typeof headlineOf>>): void {
  const again = resultsIn(out).cases.filter((one) => one.id === id && one.outcome === "violated");
  const found = again.flatMap(({ findings }) => findings.map((finding) => `${finding.clause} at ${finding.rpc}`));
  expect(found).toContain(`${clause} at ${rpc}`);
}

describe("the command that the likeliest cause prints shows it again, in a process of its own", () => {
  test.each(sampled.map((fault) => [fault.id, fault] as const))("%s", { timeout: 400_000 }, async (_id, fault) => {
    const sandbox = await serveSandbox("--fault", fault.id, "--seed", "3");
    try {
      const out = directory();
      const first = await hallmark("run", sandbox.file, "--only", `*@${fault.rpc}`, ...few, "--out", out);
      const headline = headlineOf(first.stdout);
      // Some faults show at other seeds, at other RPCs, or as a warning alone: then no command is printed.
      if (headline === undefined) {
        expect(first.stdout, first.stderr).not.toContain("Violated (");
        return;
      }
      shown.push(headline.id);
      const again = directory();
      const repeated = await hallmark(...splitWords(headline.command), "--out", again);
      expect(repeated.exit, repeated.stderr).toBe(1);
      expectAgain(again, headline);
      const replayed = await hallmark("replay", out, headline.id, "--rpc", headline.rpc, "--out", directory());
      expect(replayed.stdout, replayed.stderr).toMatch(/^(The same failure again\.|It fails again)/m);
      expect(replayed.exit).toBe(1);
    } finally {
      await sandbox.stop();
    }
  });
});

test("most of them printed one; some are invariants, most are not", () => {
  expect(shown.length).toBeGreaterThan(areas.length / 2);
  const ofInvariants = shown.filter((id) => invariants.has(id)).length;
  expect(ofInvariants).toBeGreaterThan(0);
  expect(ofInvariants).toBeLessThan(shown.length);
});
