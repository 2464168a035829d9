import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { sarifReport } from "../../reports/sarif.ts";
import { terminalReport } from "../../reports/terminal.ts";
import { count } from "../../reports/words.ts";
import { loadCases } from "../../suites/cases.ts";
import { contractHash } from "../evidence/contract-hash.ts";
import { checkShards, type Found, type ShardResults } from "../gates/shard-check.ts";
import { createLightening } from "../gates/shard-part.ts";
import { readVersion } from "../package/home.ts";
import { createCollector, ownHeap } from "../runner/heap.ts";
import { UsageError } from "../target/load.ts";
import { type GateFlags, openGates } from "./gates.ts";
import { mergeResults } from "./merge-results.ts";
import { output } from "./output.ts";
import { wantsColour } from "./progress.ts";
import { quietReport } from "./quiet-report.ts";
import { readHistory } from "./read-history.ts";
import { readResults } from "./read-results.ts";
import { prepareOutput, writeReports } from "./reports.ts";
import { reportWidth } from "./width.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark merge`. */
export interface MergeFlags extends GateFlags {
  readonly out: string;
  readonly quiet?: boolean;
  /** A folder with the results of earlier runs. */
  readonly history?: string;
  /** A file for the breaches in SARIF. */
  readonly sarif?: string;
}

/** The results below a path: a file itself, the one in a directory, or those of the directories below it. */
function findResults(path: string, out: string): readonly string[] {
  // What an earlier merge wrote there is of the whole run.
  if (isWithin(path, out)) return [];
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const file = join(path, "results.json");
  if (existsSync(file)) return [file];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort()
    .flatMap((below) => findResults(below, out));
}

function isWithin(path: string, directory: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(directory)}${sep}`);
}

/** What may come together while results are read, in bytes: to look more often takes longer than to read them. */
const maxGarbage = 96 * 2 ** 20;

/** Reads the results of every shard, one by one: a thousand of them are a gigabyte, and little of it is not said twice. */
async function readShards(files: readonly string[]): Promise<readonly Found[]> {
  const lighten = createLightening();
  const collect = createCollector(ownHeap(), maxGarbage);
  const found: Found[] = [];
  for (const path of files) {
    found.push({ path, results: lighten(readResults(path)) });
    await collect();
  }
  return found;
}

/** Rolling up anew takes the ledger and the contract that the shards were judged by. */
function refuseOtherSuite({ path, results: { tool }, shard }: ShardResults): void {
  if (tool.version === readVersion() && shard.contractHash === contractHash()) return;
  throw new UsageError(
    `${path} was written by another Hallmark (${tool.version}) than this (${readVersion()}); merge with the one that ran the shards.`,
  );
}

/**
 * Merges the results of all shards of a run into those of the whole, writes every report, and returns the exit code the
 * whole run has. What is missing, doubled or of another run is an error.
 */
export async function merge(paths: readonly string[], flags: MergeFlags): Promise<number> {
  const { out, quiet = false } = flags;
  const files = [...new Set(paths.flatMap((path) => findResults(path, out)).map((file) => relative("", file)))];
  if (files.length === 0) {
    throw new UsageError(`${paths.join(", ")}: there is no results.json; give what hallmark run --shard wrote.`);
  }
  const shards = checkShards(await readShards(files));
  const [first, ...others] = shards;
  if (first === undefined) throw new Error("no shard was left of those that were checked");
  refuseOtherSuite(first);
  const earlier = flags.history === undefined ? [] : readHistory(flags.history);
  const results = mergeResults(first, others, flags);
  const gates = openGates(flags, await loadCases(), results.selection.length > 0);
  prepareOutput(out);
  const colour = wantsColour();
  output.print(quiet ? quietReport(results) : `${terminalReport(results, { colour, ...reportWidth() })}\n`, colour);
  const gate = gates.judge(results);
  if (gate.lines.length > 0) output.print(`${gate.lines.join("\n")}\n`);
  const written = await writeReports(results, out, earlier);
  if (flags.sarif !== undefined) writeText("--sarif", flags.sarif, sarifReport(results));
  if (!quiet) {
    const reports = written.map((path) => relative("", path)).join(", ");
    output.print(`Merged ${count(shards.length, "shard")} of one run, all there.\nReports: ${reports}\n`);
  }
  return gate.exit;
}
