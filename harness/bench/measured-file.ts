import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The file below docs/ that keeps what a part of the bench measured over its sample. */
export function measuredFile(name: "peer-runs" | "red-runs" | "vain-waits"): string {
  return join(import.meta.dirname, "..", "..", "docs", `${name}.jsonl`);
}

/** What a file of JSON lines keeps of an earlier measurement, by what `nameOf` calls it; nothing where there is no file. */
export function readMeasured<T>(file: string | undefined, nameOf: (one: T) => string): Map<string, T> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, "utf8").split("\n");
  const kept = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
  return new Map(kept.map((one) => [nameOf(one), one]));
}
