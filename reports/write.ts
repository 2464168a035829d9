import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Results } from "../harness/case/result.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { sortResults } from "./order.ts";

/**
 * Writes `results.json`, `report.html`, `junit.xml` and `report.md` into a directory, which is made if need be, and
 * returns their paths. Each file appears whole or not at all. Rejects with an Error of one sentence where the
 * directory or a file cannot be written.
 */
export async function writeReports(results: Results, outDir: string): Promise<readonly string[]> {
  const files: Readonly<Record<string, string>> = {
    "results.json": `${JSON.stringify(sortResults(results), undefined, 2)}\n`,
    "report.html": htmlReport(results),
    "junit.xml": junitReport(results),
    "report.md": markdownReport(results),
  };
  try {
    await mkdir(outDir, { recursive: true });
    return await replaceFiles(outDir, files);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the reports cannot be written to ${outDir}: ${why}`, { cause: error });
  }
}

/** Writes every file aside before any takes its name: a reader sees old files or new ones, never a part of one. */
async function replaceFiles(directory: string, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const paths = Object.keys(files).map((name) => join(directory, name));
  const aside = (path: string) => `${path}.${process.pid}.tmp`;
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(aside(join(directory, name)), text);
    for (const path of paths) await rename(aside(path), path);
    return paths;
  } finally {
    for (const path of paths) await rm(aside(path), { force: true });
  }
}
