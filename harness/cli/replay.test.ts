import { describe, expect, test } from "vitest";
import { clause } from "../../proto/clauses/index.ts";
import { loadCases } from "../../suites/cases.ts";
import { areas } from "../case/area.ts";
import { type Fault, loadFaults } from "../servers/faults/index.ts";
import { everyNth, proveReplay } from "./prove-replay.ts";

const faults = await loadFaults();

/** A fault of alpha.v1 for each area, from the middle of the list, so that it is not always the first RPC's. */
const ofAreas = areas.flatMap((area): readonly Fault[] => {
  const own = faults.filter(
    ({ id, equivalent, rpc }) => id.startsWith(`${area}/`) && equivalent === undefined && rpc.startsWith("alpha."),
  );
  return own.slice(Math.floor(own.length / 2), Math.floor(own.length / 2) + 1);
});

/** And some others each day: `prove --replay` takes every tenth, which is too long for here. A warning prints no command. */
const [others, dayMs] = [2, 24 * 60 * 60_000];
const failing = faults.filter(({ breaks }) => clause(breaks).level !== "should");
const ofToday = everyNth(failing, Math.ceil(failing.length / others), Math.floor(Date.now() / dayMs));

const invariants = new Set((await loadCases()).filter(({ kind }) => kind === "invariant").map(({ id }) => String(id)));
const shown: string[] = [];

describe("the command that the likeliest cause prints shows it again, in a process of its own", () => {
  const sampled = [...ofAreas, ...ofToday].map((fault) => [fault.id, fault] as const);
  test.each(sampled)("%s", { timeout: 400_000 }, async (_id, fault) => {
    // Some faults show at other seeds, at other RPCs, or as a warning alone: then no command is printed.
    const { is, breach = "" } = await proveReplay(fault, 3, undefined);
    expect(["again", "none"], breach).toContain(is);
    if (is === "again") shown.push(breach.split(" ")[0] ?? "");
  });
});

test("most of them printed one; some are invariants, most are not", () => {
  expect(shown.length).toBeGreaterThan(areas.length / 2);
  const ofInvariants = shown.filter((id) => invariants.has(id)).length;
  expect(ofInvariants).toBeGreaterThan(0);
  expect(ofInvariants).toBeLessThan(shown.length);
});
