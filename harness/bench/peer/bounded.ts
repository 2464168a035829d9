import { execFile } from "node:child_process";
import { ownChild } from "./children.ts";

/** How a program ended. */
export interface Ended {
  /** Undefined where it was killed at its deadline, or could not be started. */
  readonly code: number | undefined;
  readonly seconds: number;
  /** What it printed. */
  readonly text: string;
}

/** How a program is run: no longer than so many milliseconds, in a folder, with an environment. */
export interface Bounds {
  readonly deadlineMs: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** No program of the comparison prints more. */
const maxBytes = 32 * 1024 * 1024;

/** Runs a program to its end, or kills it at its deadline. Never rejects: what cannot be started has no exit code. */
export function runBounded(command: string, words: readonly string[], bounds: Bounds): Promise<Ended> {
  const { deadlineMs, cwd, env = process.env } = bounds;
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const how = { cwd, env, timeout: deadlineMs, killSignal: "SIGKILL", maxBuffer: maxBytes } as const;
  return new Promise((resolve) => {
    try {
      const child = execFile(command, [...words], how, (error, stdout, stderr) => {
        // Of a program that was not started, a word stands here.
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
        resolve({ code, seconds: seconds(), text: `${stdout}${stderr}` });
      });
      ownChild(child).stdin?.end();
    } catch {
      resolve({ code: undefined, seconds: seconds(), text: "" });
    }
  });
}
