import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { compileCache } from "../package/compile-cache.ts";

/** What a program of the bench used: milliseconds, megabytes. */
export interface Used {
  /** When it was begun, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** No program of the bench takes longer. */
const deadlineMs = 240_000;

const here = (file: string) => join(import.meta.dirname, file);

/** Of programs that are measured: modules compiled, as the command line keeps them, as their start is not to be the first. */
export const environment = { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: compileCache };

function textOf(stream: Readable | null | undefined): () => string {
  const pieces: Buffer[] = [];
  stream?.on("data", (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString("utf8");
}

/**
 * Runs one of the bench's programs, or the command line, in a process of its own, and tells what it used.
 * @param allowed exit codes it may end with
 * @throws Error where it ends by a signal, or with another exit code
 */
export function runProgram(
  file: string,
  words: readonly string[],
  allowed: readonly (number | null)[] = [0],
): Promise<Used> {
  const begunAt = Date.now();
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", here("usage.ts"), here(file), ...words], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    timeout: deadlineMs,
  });
  const [, , stderr, told] = child.stdio as readonly (Readable | null)[];
  const [errors, used] = [textOf(stderr), textOf(told)];
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const wallMs = performance.now() - started;
      if (allowed.includes(code))
        resolve({ begunAt, wallMs, ...(JSON.parse(used()) as Pick<Used, "cpuMs" | "peakMb">) });
      else reject(new Error(`${file} ${words[0]} ended with ${code ?? "a signal"}: ${errors().slice(-2000)}`));
    });
  });
}

/** A server of the bench, until it is stopped. */
export interface Served {
  readonly file: string;
  stop(): void;
}

/** Starts `server.ts`; resolves once it has written its target file. */
export function serve(file: string, delayMs = 0, requestsPerSecond = 0): Promise<Served> {
  const child: ChildProcess = spawn(
    process.execPath,
    [here("server.ts"), file, String(delayMs), String(requestsPerSecond)],
    { env: environment, stdio: ["pipe", "pipe", "inherit"] },
  );
  // Its input ends with this process, too.
  const stop = () => void child.stdin?.end();
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", () => resolve({ file, stop }));
    child.once("close", (code) => reject(new Error(`the server of the bench ended with ${code ?? "a signal"}`)));
  });
}
