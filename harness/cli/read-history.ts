import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";
import { readResults } from "./read-results.ts";

/** Results of earlier runs below a folder: JSON files in it, and the results.json of folders in it. */
function findResults(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return existsSync(join(path, "results.json")) ? [join(path, "results.json")] : [];
      return entry.isFile() && entry.name.endsWith(".json") ? [path] : [];
    })
    .sort();
}

/**
 * Reads the results of earlier runs. Other JSON that lies there is passed over.
 *
 * @param option what the folder was given by, as an error names it
 * @throws UsageError where the folder is none, or holds no results
 */
export function readHistory(folder: string, option = "--history "): readonly Results[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`${option}${folder} is no folder; give one with the results of earlier runs.`);
  }
  return findResults(folder).flatMap((file) => {
    try {
      return [readResults(file)];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
}
