import { describe, expect, test } from "vitest";
import { mutantsFile } from "../harness/cli/prove-mutants.ts";
import { judgeSurvivors, readClasses } from "../harness/proof/mutants/classes.ts";
import { instrumentReference } from "../harness/proof/mutants/instrument.ts";
import { proveMutants } from "../harness/proof/mutants/prove-mutants.ts";
import { readRecord } from "../harness/proof/mutants/record.ts";
import type { MutantEnd } from "../harness/proof/mutants/task.ts";
import { loadCases } from "./cases.ts";

const build = await instrumentReference();
const known = build.mutants.filter(({ leftOut }) => leftOut === undefined);
const record = readRecord(mutantsFile);

/** Mutants of one day's share, and how long it may take to begin with them, in milliseconds. */
const perDay = 20;
const forMs = 60_000;
const dayMs = 24 * 60 * 60_000;

describe("mutants of the reference's source", () => {
  test("a share of those that were killed, another each day, is killed again", { timeout: 900_000 }, async () => {
    const killed = known.filter(({ key }) => record.get(key)?.is === "killed");
    const parts = Math.ceil(killed.length / perDay);
    const day = Math.floor(Date.now() / dayMs);
    const mutants = killed.filter((_, place) => place % parts === day % parts);
    const ends = new Map<string, MutantEnd>();
    const controls: MutantEnd[] = [];
    await proveMutants(
      {
        ...{ build, mutants, casesModule: new URL("./cases.ts", import.meta.url).href, cases: await loadCases() },
        ...{ seed: 1, runs: 20, forMs },
        hints: new Map([...record].flatMap(([key, { by }]) => (by === undefined ? [] : [[key, by] as const]))),
      },
      {
        onMutant: ({ key }, end) => ends.set(key, end),
        onControl: (end) => controls.push(end),
        onCoverage: () => {},
        onStray: () => {},
      },
    );
    expect([...ends].filter(([, { is }]) => is !== "killed")).toEqual([]);
    expect(controls.filter(({ is }) => is !== "survived")).toEqual([]);
    expect(ends.size).toBeGreaterThan(0);
    expect(controls).not.toEqual([]);
  });

  test("classes are of mutants there are, none of which was killed", () => {
    expect(judgeSurvivors(record, known, readClasses())).toMatchObject({ exposed: [], idle: [] });
  });
});
