import { availableParallelism, loadavg } from "node:os";
import { countsOf, disturbanceOf, type Figure, markdownOf } from "../figures.ts";
import { measuredFile, readMeasured } from "../measured-file.ts";
import { loadSample, type SampleFlags } from "../sample.ts";
import { scratchDirectory, writeMarked } from "../scratch.ts";
import { figuresOfRed, measureRed, type RedRun } from "./runs.ts";

const progressOf = ({ fault, wallMs, overGreen, firstRedMs }: RedRun) =>
  `${fault}: ${wallMs} ms, ${overGreen.toFixed(2)} times green, first red after ${firstRedMs ?? "?"} ms`;

/** What was measured over the sample and is kept: its figures, without measuring anything. */
export function recordedRed(): readonly Figure[] {
  return figuresOfRed([...readMeasured<RedRun>(measuredFile("red-runs"), ({ fault }) => fault).values()]);
}

/**
 * Compares whole runs on a sample of faulty servers, of every area, with green ones; prints JSON and a last line that counts
 * the goals missed, and writes the table into a page where one is given.
 */
export async function benchRed({ servers, minutes, record, markdown }: SampleFlags): Promise<void> {
  const directory = scratchDirectory("red");
  const [loadAtStart = 0] = loadavg();
  const faults = await loadSample(servers);
  const setting = { directory, minutes, ...(record === undefined ? {} : { record }) };
  const runs = await measureRed(setting, faults, (run) => console.error(progressOf(run)));
  const figures = figuresOfRed(runs);
  const machine = disturbanceOf(availableParallelism(), loadAtStart, loadavg()[0] ?? 0);
  console.log(JSON.stringify({ machine, figures, runs }, undefined, 2));
  writeMarked(markdown, "red", markdownOf(figures, machine));
  console.log(countsOf(figures));
}
