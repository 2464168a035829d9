import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** How a command line ended. */
export interface Ended {
  /** Undefined where it was killed. */
  readonly exit: number | undefined;
  readonly seconds: number;
  readonly peakMb: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

const main = join(import.meta.dirname, "..", "cli", "main.ts");
const probe = join(import.meta.dirname, "memory-probe.ts");

/** How long outputs are read on once a command has ended: what it started may hold them open for as long as it likes. */
const drainMs = 5000;

/** What is kept of an output; a command that prints more is ended. */
const maxOutput = 256 * 2 ** 20;

function collect(stream: Readable, tooMuch: () => void): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > maxOutput) tooMuch();
    else pieces.push(piece);
  });
  return pieces;
}

/** Runs a command line of Hallmark in a process of its own, as a user would, and measures it. Kills it after `maxMs`. */
export function runCommand(words: readonly string[], maxMs: number): Promise<Ended> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", probe, main, ...words], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  const timer = setTimeout(kill, maxMs);
  const [, stdout, stderr, memory] = child.stdio as readonly (Readable | null)[];
  const [out, err, told] = [stdout, stderr, memory].map((stream) => (stream ? collect(stream, kill) : []));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => {
      clearTimeout(timer);
      setTimeout(() => {
        for (const stream of [stdout, stderr, memory]) stream?.destroy();
      }, drainMs).unref();
    });
    child.once("close", (exit) => {
      const kilobytes = Buffer.concat(told ?? [])
        .toString()
        .trimEnd()
        .split("\n")
        .at(-1);
      resolve({
        exit: exit ?? undefined,
        seconds: (performance.now() - started) / 1000,
        peakMb: Number(kilobytes) / 1024,
        stdout: Buffer.concat(out ?? []),
        stderr: Buffer.concat(err ?? []),
      });
    });
  });
}
