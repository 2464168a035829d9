import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageNames } from "../../../proto/rpcs.ts";
import type { Case } from "../../case/case.ts";
import { isRunnable, planInstances } from "../../case/plan.ts";
import { home } from "../../package/home.ts";
import type { MutantPool } from "./pool.ts";
import type { Coverage } from "./task.ts";

/** Cases of one task: enough to be worth loading modules for, few enough to be spread over threads. */
const casesPerTask = 40;

/** What there is to know about each case before mutants are tried. */
export type CoverageByPackage = Readonly<Record<string, Coverage>>;

function together(parts: readonly Coverage[]): Coverage {
  return {
    always: [...new Set(parts.flatMap(({ always }) => always))],
    cases: parts.flatMap(({ cases }) => cases),
  };
}

/** Puts every case to the reference with every mutant in it, and none switched on: what does each execute? */
export async function measureCoverage(
  pool: MutantPool,
  cases: readonly Case[],
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<CoverageByPackage> {
  const measured = packageNames.map(async (name) => {
    const instances = planInstances(cases, [name])
      .filter(isRunnable)
      .map(({ case: { id }, row }) => ({ id, rpc: row.name }));
    const parts: Promise<Coverage>[] = [];
    for (let from = 0; from < instances.length; from += casesPerTask) {
      const some = instances.slice(from, from + casesPerTask);
      parts.push(pool.try({ kind: "coverage", package: name, instances: some, seed, runs }));
    }
    return [name, together(await Promise.all(parts))] as const;
  });
  return Object.fromEntries(await Promise.all(measured));
}

/** What decides which source a case executes. */
const sources = [
  ...["proto", "suites", "harness/servers/reference"],
  ...["case", "generate", "models", "oracles", "runner", "secrets", "setup", "target", "webhooks", "wire"].map(
    (folder) => `harness/${folder}`,
  ),
];

/** A digest of all that coverage depends on: the sources of the clone, and what they are asked with. */
function digestOf(order: object): string {
  const digest = createHash("sha256").update(JSON.stringify(order));
  for (const folder of sources) {
    const files = readdirSync(join(home, folder), { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")).sort()) {
      digest.update(file).update(readFileSync(join(home, folder, file)));
    }
  }
  return digest.digest("hex").slice(0, 16);
}

/**
 * What `measure` yields, kept among the system's temporary files until any source changes.
 * @param order seed and runs, which it depends on too
 */
export async function keptCoverage(
  order: object,
  measure: () => Promise<CoverageByPackage>,
): Promise<CoverageByPackage> {
  const file = join(tmpdir(), `hallmark-coverage-${process.getuid?.() ?? ""}`, `${digestOf(order)}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as CoverageByPackage;
  const coverage = await measure();
  // Of sources that have changed nobody asks again.
  rmSync(dirname(file), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(coverage));
  renameSync(`${file}.new`, file);
  return coverage;
}
