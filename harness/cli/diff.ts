import { join } from "node:path";
import { compareResults, isNoWorse } from "../../reports/compare.ts";
import { comparisonPage } from "../../reports/compare-html.ts";
import { comparisonText } from "../../reports/compare-text.ts";
import { loadCases } from "../../suites/cases.ts";
import type { Case } from "../case/case.ts";
import type { Results } from "../case/result.ts";
import { createFilter } from "../case/selection.ts";
import { UsageError } from "../target/load.ts";
import { chooseTarget, type TargetFlags } from "./choose-target.ts";
import { CommandFailure, exits } from "./exit.ts";
import { openGates } from "./gates.ts";
import { output } from "./output.ts";
import { prepareOutput } from "./reports.ts";
import { orderOf, runOrder } from "./run.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark diff`. */
export interface DiffFlags {
  readonly only: readonly string[];
  readonly service: readonly string[];
  readonly seed?: number;
  readonly runs: number;
  readonly concurrency?: number;
  readonly out: string;
  readonly quiet?: boolean;
}

/** A side of the comparison: a base URL, `embedded`, or a target file. */
function sideOf(word: string, { concurrency }: DiffFlags): { readonly file?: string; readonly flags: TargetFlags } {
  const flags = concurrency === undefined ? {} : { concurrency };
  if (/^https?:\/\//.test(word)) return { flags: { ...flags, baseUrl: word } };
  return word === "embedded" ? { flags: { ...flags, embedded: true } } : { file: word, flags };
}

/**
 * Runs the suite against two servers, one after the other, with one seed, and compares what they came to case by case.
 * Exit code 1 where the second is worse than the first.
 */
export async function diff(first: string, second: string, flags: DiffFlags): Promise<number> {
  const cases = await loadCases();
  createFilter({ only: flags.only, services: flags.service }, cases);
  if (first === second) throw new UsageError(`${first} is given twice; give two servers to tell apart.`);
  prepareOutput(flags.out);
  const seed = flags.seed ?? Math.trunc(Math.random() * 2 ** 31);
  const before = await judgeSide(first, join(flags.out, "a"), { ...flags, seed }, cases);
  const after = await judgeSide(second, join(flags.out, "b"), { ...flags, seed }, cases);
  const comparison = compareResults(before, after);
  const page = join(flags.out, "side-by-side.html");
  writeText(
    "--out",
    page,
    comparisonPage([
      { name: first, results: before },
      { name: second, results: after },
    ]),
  );
  output.print(`${comparisonText(comparison, [first, second])}Side by side: ${page}\n`);
  return isNoWorse(comparison) ? exits.held : exits.violated;
}

async function judgeSide(word: string, out: string, flags: DiffFlags, cases: readonly Case[]): Promise<Results> {
  const { file, flags: targetFlags } = sideOf(word, flags);
  const runFlags = { ...flags, ...targetFlags, out };
  prepareOutput(out);
  const chosen = await chooseTarget(file, targetFlags);
  try {
    output.print(`${word}\n`);
    const order = orderOf(runFlags, chosen, cases);
    const { results, exit } = await runOrder(order, cases, { out, quiet: true }, openGates({}, cases, true));
    if (exit === exits.defect) throw new CommandFailure(`Hallmark failed on ${word}; its reports are in ${out}.`, exit);
    return results;
  } finally {
    await chosen.close();
  }
}
