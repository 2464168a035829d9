import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type PackageName, packageNames } from "../../../proto/rpcs.ts";
import type { Results } from "../../case/result.ts";
import type { Fault } from "../../servers/faults/fault.ts";
import { type Figure, figure, medianOf } from "../figures.ts";
import { readMeasured } from "../measured-file.ts";
import { serveOne } from "../peer/served.ts";
import { runProgram } from "../program.ts";

/** A whole run of a package on a server with a fault, beside the run on the server without. */
export interface RedRun {
  readonly fault: string;
  /** Milliseconds, start, triage and reports included. */
  readonly wallMs: number;
  readonly overGreen: number;
  /** From the start of the process to the end of the first red case, in milliseconds; absent where none was red. */
  readonly firstRedMs?: number;
}

/** How red runs are measured. */
export interface RedSetting {
  /** Where it writes. */
  readonly directory: string;
  /** No server is begun after so many minutes. */
  readonly minutes: number;
  /** A file of JSON lines that keeps what was measured; what stands there already is not measured again. */
  readonly record?: string;
}

/** Runs of the clean server, of which the least time counts. */
const greenRuns = 2;

/** Runs a package as a user does, against a server of its own with a fault, or with none. */
async function runOn(directory: string, packageName: PackageName, fault?: string) {
  const served = await serveOne(packageName, join(directory, "target.json"), fault);
  try {
    const out = join(directory, "report");
    const words = ["run", served.targetFile, "--quiet", "--seed", "1", "--no-record", "--out", out];
    const { wallMs, begunAt } = await runProgram("../cli/main.ts", words, fault === undefined ? [0] : [0, 1]);
    const { cases } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
    return { wallMs, begunAt, cases };
  } finally {
    await served.stop();
  }
}

/** When the first red case had ended, in milliseconds since 1970. What is judged of all replies ends with the run, and counts for none. */
export function firstRedAt(cases: Results["cases"]): number | undefined {
  const ends = cases.flatMap(({ outcome, startedAt, durationMs }) =>
    outcome === "violated" && startedAt !== undefined ? [startedAt + durationMs] : [],
  );
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/**
 * Runs the whole package on servers with a fault each, one after the other, and compares each run with that on the clean server.
 *
 * @param onRun is told of each once it is done
 * @throws Error where the run on a clean server is not green
 */
export async function measureRed(
  { directory, minutes, record }: RedSetting,
  faults: readonly Fault[],
  onRun: (run: RedRun) => void,
): Promise<readonly RedRun[]> {
  const begun = performance.now();
  const known = readMeasured<RedRun>(record, ({ fault }) => fault);
  const measured: RedRun[] = faults.flatMap(({ id }) => known.get(id) ?? []);
  const green = new Map<PackageName, number>();
  for (const name of packageNames) {
    const times: number[] = [];
    while (times.length < greenRuns) times.push((await runOn(directory, name)).wallMs);
    green.set(name, Math.min(...times));
  }
  for (const { id, package: packageName } of faults) {
    if (known.has(id)) continue;
    if (performance.now() - begun > minutes * 60_000) break;
    const { wallMs, begunAt, cases } = await runOn(directory, packageName, id);
    const firstAt = firstRedAt(cases);
    const run: RedRun = {
      fault: id,
      wallMs: Math.round(wallMs),
      overGreen: wallMs / (green.get(packageName) ?? Number.NaN),
      ...(firstAt === undefined ? {} : { firstRedMs: firstAt - begunAt }),
    };
    measured.push(run);
    if (record !== undefined) appendFileSync(record, `${JSON.stringify(run)}\n`);
    onRun(run);
  }
  return measured;
}

/** What red runs came to, with the goals: as fast as green, and the first red soon. */
export function figuresOfRed(runs: readonly RedRun[]): readonly Figure[] {
  const over = runs.map(({ overGreen }) => overGreen);
  const first = runs.flatMap(({ firstRedMs }) => firstRedMs ?? []);
  const most = over.length === 0 ? Number.NaN : Math.max(...over);
  return [
    figure("redRuns", "servers with a fault, each run whole", runs.length),
    figure("redRunsThatWereRed", "of those with a red case", first.length),
    figure("redOverGreenMedian", "a red run, in times of a green one: median", medianOf(over), 1.5),
    figure("redOverGreenMost", "a red run, in times of a green one: most", most, 3),
    figure("firstRedMsMedian", "ms from the start to the first red case: median", medianOf(first), 1500),
  ];
}
