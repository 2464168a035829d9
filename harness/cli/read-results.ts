import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseResults } from "../../reports/schema.ts";
import type { Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";

/**
 * Reads the results of a run: a `results.json`, or the directory a run wrote.
 * @throws UsageError with one sentence on whatever is wrong
 */
export function readResults(path: string): Results {
  const directory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = directory ? join(path, "results.json") : path;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `${file}: the results cannot be read (${(error as NodeJS.ErrnoException).code}); check the path.`,
    );
  }
  try {
    return parseResults(text, file);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; give a results.json that hallmark run wrote.`);
  }
}
