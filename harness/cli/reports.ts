import { accessSync, constants, mkdirSync } from "node:fs";
import { renderReports } from "../../reports/render.ts";
import type { Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";
import { output } from "./output.ts";

/** Finds out before the run, not after it, whether its reports can be written. */
export function prepareOutput(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out ${directory} cannot be written (${code}); choose another directory.`);
  }
}

/**
 * Writes every report of a run into a directory, and returns their paths.
 * @throws UsageError where the directory or a file cannot be written
 */
export async function writeReports(results: Results, out: string): Promise<readonly string[]> {
  try {
    return await output.writeAll(out, renderReports(results));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--out ${out}: the reports cannot be written there (${code ?? message}); choose another directory.`,
    );
  }
}
