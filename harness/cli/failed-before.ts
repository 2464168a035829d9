import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../case/result.ts";
import type { InstanceName } from "../case/shard.ts";
import { UsageError } from "../target/load.ts";
import { readResults } from "./read-results.ts";
import { usualOutput } from "./reports.ts";

const failing = ["violated", "error", "unproven"];

/** Results in a folder; undefined where there are none that can be read. */
function resultsIn(folder: string): Results | undefined {
  const file = join(folder, "results.json");
  if (!existsSync(file)) return undefined;
  try {
    return readResults(file);
  } catch (error) {
    // What is no report says nothing of what failed.
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/**
 * What failed in the last of these runs that had it: cases that were asked since and did not fail are not among them. What was
 * violated comes before what was unproven. Beside the earlier runs given, the reports in these folders are looked at.
 */
export function failedBefore(
  earlier: readonly Results[],
  folders: readonly string[] = [usualOutput],
): readonly InstanceName[] {
  const all = [...earlier, ...[...new Set(folders)].flatMap((folder) => resultsIn(folder) ?? [])];
  const byTime = all.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  const last = new Map(byTime.flatMap(({ cases }) => cases.map((one) => [`${one.id} ${one.rpc}`, one] as const)));
  return [...last.values()]
    .filter(({ outcome }) => failing.includes(outcome))
    .toSorted((a, b) => failing.indexOf(a.outcome) - failing.indexOf(b.outcome))
    .map(({ id, rpc }) => ({ id, rpc }));
}
