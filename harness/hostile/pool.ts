import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostileTarget } from "../servers/hostile/hostile.ts";
import type { Extent, Judged } from "./judge.ts";

const one = join(import.meta.dirname, "one.ts");

/**
 * Judging kills the run it judges; this is for when judging itself goes wrong. Where time is short, it is less than a test
 * waits, which then says which target it was.
 */
const maxMs: Record<Extent, number> = { whole: 1_500_000, narrowed: 300_000 };

/** Judges targets, each in a process of its own. */
export interface JudgingPool {
  /** Waits for its turn. That judging failed is a flaw like any other. */
  judge(target: HostileTarget): Promise<Judged>;
  close(): void;
}

/** How targets are judged. */
export interface PoolOptions {
  readonly extent: Extent;
  /** How many at a time. */
  readonly jobs: number;
  /** A directory that keeps what the runs write. */
  readonly keep?: string | undefined;
}

/** A pool that judges so many targets side by side. */
export function createJudgingPool({ extent, jobs, keep }: PoolOptions): JudgingPool {
  // Where time is short, what Node compiled for one run is used by the next. A user's run compiles it itself.
  const compiled = extent === "narrowed" ? mkdtempSync(join(tmpdir(), "hallmark-hostile-compiled-")) : undefined;
  const env = compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: compiled };
  const waiting: (() => void)[] = [];
  let running = 0;

  const judgeNow = ({ id, says }: HostileTarget): Promise<Judged> => {
    const words = [one, id, extent, ...(keep === undefined ? [] : [keep])];
    const bounds = { timeout: maxMs[extent], killSignal: "SIGKILL", maxBuffer: 2 ** 26 } as const;
    return new Promise((resolve) => {
      execFile(process.execPath, words, { env, ...bounds }, (error, stdout, stderr) => {
        if (error === null) return resolve(JSON.parse(stdout) as Judged);
        const flaw = `it could not be judged: ${/^\w*Error.*$/m.exec(stderr)?.[0] ?? error.message}`;
        resolve({ id, says, seconds: 0, peakMb: 0, canaries: 0, overBounds: [], flaws: [flaw] });
      });
    });
  };

  return {
    async judge(target) {
      if (running >= jobs) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await judgeNow(target);
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    close() {
      if (compiled !== undefined) rmSync(compiled, { recursive: true, force: true });
    },
  };
}
