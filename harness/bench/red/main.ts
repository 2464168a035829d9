import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { withMarked } from "../../output/marked-page.ts";
import { loadFaults } from "../../servers/faults/index.ts";
import { countsOf, disturbanceOf, markdownOf } from "../figures.ts";
import type { PeerFlags } from "../peer/main.ts";
import { sampleFaults } from "../peer/sample.ts";
import { figuresOfRed, measureRed, type RedRun } from "./runs.ts";

/** Seed of the sample of faults. */
const sampleSeed = 1;

const progressOf = ({ fault, wallMs, overGreen, firstRedMs }: RedRun) =>
  `${fault}: ${wallMs} ms, ${overGreen.toFixed(2)} times green, first red after ${firstRedMs ?? "?"} ms`;

/**
 * Compares whole runs on a sample of faulty servers, of every area, with green ones; prints JSON and a last line that counts
 * the goals missed, and writes the table into a page where one is given.
 */
export async function benchRed({ servers, minutes, record, markdown }: PeerFlags): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "hallmark-red-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const [loadAtStart = 0] = loadavg();
  const faults = sampleFaults(await loadFaults(), servers, sampleSeed);
  const setting = { directory, minutes, ...(record === undefined ? {} : { record }) };
  const runs = await measureRed(setting, faults, (run) => console.error(progressOf(run)));
  const figures = figuresOfRed(runs);
  const machine = disturbanceOf(availableParallelism(), loadAtStart, loadavg()[0] ?? 0);
  console.log(JSON.stringify({ machine, figures, runs }, undefined, 2));
  if (markdown !== undefined) {
    writeFileSync(markdown, withMarked(readFileSync(markdown, "utf8"), "red", markdownOf(figures, machine)));
  }
  console.log(countsOf(figures));
}
