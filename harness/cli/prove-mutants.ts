import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../case/case.ts";
import { matchesAny } from "../case/selection.ts";
import { home, moduleExtension, readVersion } from "../package/home.ts";
import { isClassified, judgeSurvivors, readClasses } from "../proof/mutants/classes.ts";
import { instrumentReference } from "../proof/mutants/instrument.ts";
import type { Mutant } from "../proof/mutants/mutant.ts";
import { proveMutants } from "../proof/mutants/prove-mutants.ts";
import { addToRecord, lineOf, type MutantLine, printRecord, readRecord } from "../proof/mutants/record.ts";
import { summarizeMutants } from "../proof/mutants/summary.ts";
import type { MutantEnd } from "../proof/mutants/task.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { republish } from "./proof-page.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark prove --mutants`. */
export interface MutantFlags {
  readonly only: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly share?: number;
  readonly minutes?: number;
  readonly record?: string;
  readonly json?: string;
  readonly markdown?: string;
}

/** What became of every mutant when it was last tried: what the proof's page shows, and where hints come from. */
export const mutantsFile = join(home, "docs", "mutants.jsonl");

const say = (line: string) => output.print(`${line}\n`);

const dayMs = 24 * 60 * 60_000;

/** One mutant in `parts`; each day another. */
function partOf<T>(all: readonly T[], parts: number, at: Date): readonly T[] {
  const part = Math.floor(at.getTime() / dayMs) % parts;
  return all.filter((_, place) => place % parts === part);
}

/** In an order that has nothing to do with the source's: what a bounded time comes to is a sample of all. */
function mixed(mutants: readonly Mutant[]): readonly Mutant[] {
  const placed = mutants.map((mutant) => ({ mutant, place: createHash("sha256").update(mutant.key).digest("hex") }));
  return placed.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(({ mutant }) => mutant);
}

function describe({ key, line }: Mutant, end: MutantEnd): string {
  const why = "why" in end ? `\n  ${end.why}` : "";
  return `✗ ${end.is.padEnd(11)} ${key} (line ${line})${why}`;
}

/**
 * Puts the suite to mutants of the reference's source: each must be killed, or have a class that says why nobody can.
 * With `--record` it goes on where the file ends, so that thousands can be tried bit by bit.
 */
export async function proveMutantsOf(flags: MutantFlags): Promise<number> {
  const { only, seed, runs, share = 1, minutes, record: file, json, markdown } = flags;
  const classes = readClasses();
  const record = new Map(readRecord(file ?? mutantsFile));
  const hints = [...readRecord(mutantsFile), ...record].flatMap(([key, { by }]) =>
    by === undefined ? [] : [[key, by] as const],
  );
  const build = await instrumentReference();
  const known = build.mutants.filter(({ leftOut }) => leftOut === undefined);
  const selected = known.filter(({ key }) => matchesAny(only)(key));
  if (selected.length === 0)
    throw new UsageError(`--only ${only.join(" --only ")} matches no mutant of the reference.`);
  const isKept = isClassified(classes);
  // What nobody can kill is asked everything, which takes long: a share leaves that to the full set.
  const shared = share === 1 ? selected : partOf(selected, share, new Date()).filter(({ key }) => !isKept(key));
  // What is asked for by name is tried again; so is what no case executed, of which new cases may.
  const isDone = (key: string) => only.length === 0 && (record.get(key)?.is ?? "not executed") !== "not executed";
  const mutants = mixed(file === undefined ? shared : shared.filter(({ key }) => !isDone(key)));
  const casesModule = new URL(`../../suites/cases${moduleExtension}`, import.meta.url).href;
  const { loadCases } = (await import(casesModule)) as { loadCases: () => Promise<readonly Case[]> };
  const tried = new Map<string, MutantLine>();
  const alarms: string[] = [];
  const started = performance.now();
  let controls = 0;
  await proveMutants(
    {
      ...{ build, mutants, casesModule, cases: await loadCases(), seed, runs, hints: new Map(hints) },
      ...(minutes !== undefined && { forMs: minutes * 60_000 }),
    },
    {
      onMutant(mutant, end) {
        const line = lineOf(mutant, end);
        tried.set(mutant.key, line);
        if (file !== undefined) addToRecord(file, line);
        if (end.is !== "killed" && !isKept(mutant.key)) say(describe(mutant, end));
        if (tried.size % 500 === 0) say(`… ${tried.size} of ${mutants.length} mutants`);
      },
      onControl(end) {
        controls += 1;
        if (end.is === "survived") return;
        alarms.push(end.is);
        say(`✗ alarm   the reference without a mutant: ${JSON.stringify(end)}`);
      },
      onCoverage: () => say("… it is known which case executes which mutant"),
      onStray: (stack) => say(`… an error that is of no mutant: ${stack}`),
    },
  );
  const all = new Map([...record, ...tried]);
  if (file !== undefined && existsSync(file)) writeText("--record", file, printRecord(all, known));
  const summary = summarizeMutants(build.mutants, all, classes, readVersion());
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  if (markdown !== undefined) republish(markdown, { mutants: summary });
  // A part answers for itself; the whole, for all that its record holds.
  const isWhole = file !== undefined && only.length === 0 && share === 1;
  const judged = judgeSurvivors(isWhole ? all : tried, known, classes);
  for (const key of judged.holes) say(`✗ no class  ${key}`);
  for (const key of judged.exposed) say(`✗ killed    ${key}, of which survivors.yaml says that nobody can`);
  for (const key of judged.idle) say(`✗ no mutant ${key}, which survivors.yaml names`);
  const killed = [...tried.values()].filter(
    ({ is }) => is !== "survived" && is !== "unproven" && is !== "not executed",
  ).length;
  say(
    `${killed} of ${tried.size} mutants killed, ${judged.holes.length} survivors without a class, ${alarms.length} alarms in ${controls} controls, in ${((performance.now() - started) / 1000).toFixed(1)} s (${known.length} mutants in all, ${mutants.length - tried.size} left)`,
  );
  const breaches = judged.holes.length + judged.exposed.length + judged.idle.length + alarms.length;
  return breaches === 0 ? exits.held : exits.violated;
}
