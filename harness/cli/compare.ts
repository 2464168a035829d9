import { compareResults, isNoWorse, usualSlowness } from "../../reports/compare.ts";
import { comparisonPage } from "../../reports/compare-html.ts";
import { comparisonText } from "../../reports/compare-text.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { readResults } from "./read-results.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark compare`. */
export interface CompareFlags {
  readonly html?: string;
  readonly json?: string;
  /** How many times longer a case takes to be called slower. */
  readonly slowerThan?: number;
}

/**
 * Compares runs case by case: every later one with the first. Exit code 1 where anything newly fails, fails for more
 * than before, or is no longer tested.
 */
export function compare(paths: readonly string[], { html, json, slowerThan }: CompareFlags): number {
  const [first, ...others] = paths.map((path) => ({ path, results: readResults(path) }));
  if (first === undefined || others.length === 0) {
    throw new UsageError("There is nothing to compare with: give two results.json or more.");
  }
  const slowness = { ...usualSlowness, ...(slowerThan === undefined ? {} : { factor: slowerThan }) };
  const comparisons = others.map(({ path, results }) => ({
    path,
    comparison: compareResults(first.results, results, slowness),
  }));
  if (html !== undefined) {
    const columns = [first, ...others].map(({ path, results }) => ({
      name: columnName(results.target.name, path),
      results,
    }));
    writeText("--html", html, comparisonPage(columns));
  }
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(comparisons, undefined, 2)}\n`);
  for (const { path, comparison } of comparisons) {
    output.print(comparisonText(comparison, [first.path, path]));
  }
  return comparisons.every(({ comparison }) => isNoWorse(comparison)) ? exits.held : exits.violated;
}

/** Two runs against one target have one name: the file tells them apart. */
function columnName(target: string, path: string): string {
  return `${target} (${path})`;
}
