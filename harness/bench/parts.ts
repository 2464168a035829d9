import { readFileSync } from "node:fs";
import { join } from "node:path";
import { usualDepth } from "../case/depth.ts";
import type { Results } from "../case/result.ts";
import { runProgram, serve, type Used } from "./program.ts";

/** A run of the suite, with what it sent and when its first case began. */
export interface Ran extends Used {
  readonly exchanges: number;
  readonly cases: number;
  /** From the start of the process to the first case, in milliseconds. */
  readonly toFirstCaseMs: number;
}

/** What is run: a share of the cases, so many runs per property, with or without every exchange in the evidence. */
interface Extent {
  /** As `--shard`, the cases of one in so many; default all. */
  readonly shard?: string;
  readonly runs?: number;
  readonly record?: boolean;
}

/** How the bench runs: where it writes, and how often it repeats what it compares. */
export interface Setting {
  readonly directory: string;
  readonly rounds: number;
}

/** Runs the suite as a user does, with a server that is there already. Throws where it is not green. */
async function runSuite(directory: string, file: string, { shard, runs = 20, record = false }: Extent): Promise<Ran> {
  const out = join(directory, "report");
  const words = ["run", file, "--quiet", "--seed", "1", "--runs", String(runs), "--out", out];
  if (shard !== undefined) words.push("--shard", shard);
  const used = await runProgram("../cli/main.ts", [...words, record ? "--record" : "--no-record"]);
  const { summary, cases } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
  const began = cases.map(({ startedAt = Number.POSITIVE_INFINITY }) => startedAt);
  const toFirstCaseMs = began.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) - used.begunAt;
  return { ...used, exchanges: summary.exchanges, cases: cases.length, toFirstCaseMs };
}

/** On a server of its own, which ends with it: one that has served before may be slower, or quicker. */
async function onServer<T>(
  { directory }: Setting,
  delayMs: number,
  perSecond: number,
  run: (file: string) => Promise<T>,
): Promise<T> {
  const server = await serve(join(directory, "target.json"), delayMs, perSecond);
  try {
    return await run(server.file);
  } finally {
    server.stop();
  }
}

/** The least of each figure: what else a machine does only ever adds. */
function leastOf<T extends Used>(all: readonly [T, ...T[]]): T {
  const least = (of: (one: Used) => number) => Math.min(...all.map(of));
  return {
    ...all[0],
    wallMs: least(({ wallMs }) => wallMs),
    cpuMs: least(({ cpuMs }) => cpuMs),
    peakMb: least(({ peakMb }) => peakMb),
  };
}

/** What two programs used, each run so many times, in turn: what slows one down slows down both. */
async function inTurn<A extends Used, B extends Used>(
  rounds: number,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<readonly [A, B]> {
  const ones: [A, ...A[]] = [await one()];
  const others: [B, ...B[]] = [await other()];
  while (ones.length < rounds) {
    ones.push(await one());
    others.push(await other());
  }
  return [leastOf(ones), leastOf(others)];
}

/** A run, by default the whole one, and a bare loop over the same requests. */
export function measureWhole(setting: Setting, shard?: string) {
  return onServer(setting, 0, 0, async (file) => {
    const recording = join(setting.directory, "requests.json");
    await runProgram("record.ts", [file, recording, usualDepth, ...(shard === undefined ? [] : [shard])]);
    const requests = (JSON.parse(readFileSync(recording, "utf8")) as readonly unknown[]).length;
    const extent = shard === undefined ? {} : { shard };
    const bareLoop = () => runProgram("bare-loop.ts", [recording]);
    const [suite, bare] = await inTurn(setting.rounds, () => runSuite(setting.directory, file, extent), bareLoop);
    return { suite, bare: { ...bare, exchanges: requests } };
  });
}

/** How long it takes until the first case begins: the least of some starts. */
export function measureStart(setting: Setting) {
  return onServer(setting, 0, 0, async (file) => {
    const starts: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      starts.push((await runSuite(setting.directory, file, { shard: "1/64" })).toFirstCaseMs);
    }
    return { toFirstCaseMs: Math.min(...starts), shard: "1/64" };
  });
}

/** A share of the run, with every answer so many milliseconds late. */
export async function measureLatency(setting: Setting, delays: readonly number[]) {
  const shard = "1/8";
  const measured = new Map<number, Ran>();
  for (const delayMs of delays) {
    const run = (file: string) => runSuite(setting.directory, file, { shard });
    measured.set(delayMs, await onServer(setting, delayMs, 0, run));
  }
  return { shard, measured };
}

/** A share of the run, against a server that answers so many requests a second and no more. */
export async function measureSlowServer(setting: Setting, requestsPerSecond: number) {
  const shard = "1/12";
  const run = (file: string) => runSuite(setting.directory, file, { shard });
  return { shard, requestsPerSecond, run: await onServer(setting, 0, requestsPerSecond, run) };
}

/** A share of the run with few and with many runs per property. */
export async function measureRuns(setting: Setting, few: number, many: number) {
  const shard = "1/12";
  const of = (runs: number) => onServer(setting, 0, 0, (file) => runSuite(setting.directory, file, { shard, runs }));
  return { shard, few: await of(few), many: await of(many) };
}

/** A share of the run with results alone in the evidence, and with every exchange, in turn. */
export function measureEvidence(setting: Setting) {
  const shard = "1/3";
  return onServer(setting, 0, 0, async (file) => {
    const of = (record: boolean) => () => runSuite(setting.directory, file, { shard, record });
    const [without, recorded] = await inTurn(setting.rounds, of(false), of(true));
    return { shard, without, recorded };
  });
}
