import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { historyOf } from "../../reports/history.ts";
import { renderReports, reportNames } from "../../reports/render.ts";
import { parseResults } from "../../reports/schema.ts";
import type { Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";
import { output } from "./output.ts";

/** The evidence of a run, beside its reports. */
export const evidenceName = "evidence.jsonl";

/** Where reports go that nobody says another place for. */
export const usualOutput = "conformance-report";

/**
 * Where the reports of a run go that was told no place: a part of the suite does not take the place of what the whole came
 * to, and says so.
 */
export function defaultOutput(narrowed: boolean): string {
  if (!narrowed || !isWhole(join(usualOutput, "results.json"))) return usualOutput;
  const aside = join(usualOutput, "partial");
  output.printError(`${usualOutput} holds the report of a whole run; that of this partial one goes to ${aside}.\n`);
  return aside;
}

function isWhole(file: string): boolean {
  try {
    return parseResults(readFileSync(file, "utf8"), file).complete;
  } catch {
    // What is no report is nothing to be kept.
    return false;
  }
}

/** Makes a folder and those above it, one by one: all at once, Node never comes back from where none can be made. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** Where a run says that it writes into a directory: two at once would write into one another's files. */
const lockName = ".hallmark.lock";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Finds out before the run, not after it, whether its reports can be written, and keeps other runs out of the directory
 * until this process ends.
 * @throws UsageError where they cannot, or another run is writing there
 */
export function prepareOutput(directory: string): void {
  const refuse = (why: string) =>
    new UsageError(`--out ${directory} cannot be written (${why}); choose another directory.`);
  const lock = join(directory, lockName);
  try {
    makeFolder(resolve(directory));
    accessSync(directory, constants.W_OK);
    for (const name of [evidenceName, ...reportNames]) {
      if (statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory() === true) {
        throw refuse(`${name} is a directory there`);
      }
    }
    const owner = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : Number.NaN;
    if (Number.isInteger(owner) && owner !== process.pid && isAlive(owner)) {
      throw refuse(`another run, process ${owner}, is writing there`);
    }
    rmSync(lock, { force: true });
    output.writeNew(lock, String(process.pid));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(code === "EEXIST" ? "another run began there at this moment" : String(code));
  }
  process.once("exit", () => rmSync(lock, { force: true }));
}

/**
 * Writes every report of a run into a directory, with what earlier runs came to, and returns their paths.
 * @throws UsageError where the directory or a file cannot be written
 */
export async function writeReports(
  results: Results,
  out: string,
  earlier: readonly Results[] = [],
): Promise<readonly string[]> {
  try {
    const history = earlier.length === 0 ? undefined : historyOf(results, earlier);
    return await output.writeAll(out, renderReports(results, history));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--out ${out}: the reports cannot be written there (${code ?? message}); choose another directory.`,
    );
  }
}
