import { dirname, join, relative } from "node:path";
import { badgeOf, badgeSvg } from "../../reports/badge.ts";
import { annotationsOf, outputsOf } from "../../reports/github.ts";
import { pullRequestComment } from "../../reports/pull-request.ts";
import { renderSite } from "../../reports/site.ts";
import { count } from "../../reports/words.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { readHistory } from "./read-history.ts";
import { readResults } from "./read-results.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark badge`. */
export interface BadgeFlags {
  readonly label?: string;
  readonly json?: string;
  readonly svg?: string;
}

/** Makes the badge of a run: printed as the endpoint of shields.io takes it, unless files are named. */
export function badge(path: string, { label, json, svg }: BadgeFlags): number {
  const made = badgeOf(readResults(path), label);
  const text = `${JSON.stringify(made, undefined, 2)}\n`;
  if (json === undefined && svg === undefined) output.print(text);
  if (json !== undefined) writeText("--json", json, text);
  if (svg !== undefined) writeText("--svg", svg, badgeSvg(made));
  return exits.held;
}

/** Flags of `hallmark github`. */
export interface GitHubFlags {
  readonly annotations: string;
  /** Where a comment on a pull request is written. */
  readonly comment?: string;
  /** Results of the base branch, which the comment compares with. */
  readonly base?: string;
}

/**
 * Prints the outputs of a run for a step of GitHub Actions. Annotations go to a file, which the step prints: what this
 * process prints itself is never a workflow command.
 */
export function github(path: string, { annotations, comment, base }: GitHubFlags): number {
  const results = readResults(path);
  if (base !== undefined && comment === undefined) {
    throw new UsageError("--base is what a comment compares with; give --comment FILE too.");
  }
  const before = base === undefined ? undefined : readResults(base);
  writeText(
    "--annotations",
    annotations,
    annotationsOf(results)
      .map((line) => `${line}\n`)
      .join(""),
  );
  if (comment !== undefined) writeText("--comment", comment, pullRequestComment(results, before));
  output.print(`${outputsOf(results).join("\n")}\n`);
  return exits.held;
}

/** Flags of `hallmark site`. */
export interface SiteFlags {
  readonly out: string;
}

/** Writes a static site of the results below these folders. */
export async function site(folders: readonly string[], { out }: SiteFlags): Promise<number> {
  const all = folders.flatMap((folder) => readHistory(folder, ""));
  if (all.length === 0)
    throw new UsageError(`${folders.join(", ")}: there are no results; give folders of results.json files.`);
  const files = Object.entries(renderSite(all));
  for (const [folder, of] of Map.groupBy(files, ([path]) => dirname(path))) {
    const named = of.map(([path, text]) => [relative(folder, path), text] as const);
    try {
      await output.writeAll(join(out, folder), Object.fromEntries(named));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`--out ${out} cannot be written (${code}); choose another directory.`);
    }
  }
  const names = new Set(all.map(({ target }) => target.name)).size;
  output.print(`Wrote ${join(out, "index.html")}: ${count(all.length, "run")} of ${count(names, "implementation")}.\n`);
  return exits.held;
}
