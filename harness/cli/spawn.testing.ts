import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a command line ended. */
export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const main = join(import.meta.dirname, "main.ts");

/** Runs a command line in a process of its own, as a user would, with this on its standard input. */
export function hallmarkAsked(input: string, ...words: readonly string[]): Promise<Ended> {
  return spawned(process.cwd(), input, words);
}

/** Runs a command line in a folder, as a user would. */
export function hallmarkIn(folder: string, ...words: readonly string[]): Promise<Ended> {
  return spawned(folder, "", words);
}

function spawned(cwd: string, input: string, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: "1" };
    const child = spawn(process.execPath, [main, ...words], { cwd, env, timeout: 220_000 });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part) => {
      stdout += part;
    });
    child.stderr.on("data", (part) => {
      stderr += part;
    });
    child.stdin.end(input);
    child.once("close", (exit) => resolve({ exit, stdout, stderr }));
  });
}

/** Runs a command line in a process of its own, as a user would. */
export function hallmark(...words: readonly string[]): Promise<Ended> {
  return hallmarkAsked("", ...words);
}

/** A command line under way, that waits for what is typed. */
export interface Conversation {
  /** Resolves once this was said so many times in all. */
  said(text: string, times: number): Promise<void>;
  type(text: string): void;
  /** As Ctrl+C. */
  interrupt(): void;
  ended(): Promise<number | null>;
}

/** Runs a command line that goes on until it is told to stop. */
export function converse(...words: readonly string[]): Conversation {
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, [main, ...words], { env, timeout: 220_000 });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let stdout = "";
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  child.stderr.on("data", (part) => {
    stdout += part;
  });
  return {
    said: (text, times) =>
      new Promise((resolve, reject) => {
        const look = () => stdout.split(text).length > times && resolve();
        for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
        child.once("close", (exit) => reject(new Error(`it ended with ${exit}:\n${stdout}`)));
        look();
      }),
    type: (text) => child.stdin.write(text),
    interrupt: () => child.kill("SIGINT"),
    ended: () => ended,
  };
}

/** A new empty directory. */
export function directory(): string {
  return mkdtempSync(join(tmpdir(), "hallmark-cli-"));
}

/** A new file with this text. */
export function fileWith(text: string, name = "target.yaml"): string {
  const file = join(directory(), name);
  writeFileSync(file, text);
  return file;
}

/** A sandbox in a process of its own, with the target file it wrote. */
export interface Sandbox {
  readonly file: string;
  readonly target: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Resolves once it has ended. */
  stop(): Promise<void>;
}

/** Serves a sandbox, described by a file of its own unless it is told which to write; resolves once it is ready. */
export async function serveSandbox(...words: readonly string[]): Promise<Sandbox> {
  const told = words.indexOf("--target-file");
  const file = told === -1 ? join(directory(), "target.json") : (words[told + 1] ?? "");
  const child: ChildProcess = spawn(process.execPath, [main, "serve", "--target-file", file, ...words]);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (part) => String(part).includes("Interrupt") && resolve());
    child.once("close", (exit) => reject(new Error(`the sandbox ended with ${exit}`)));
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = () => {
    child.kill();
    return ended;
  };
  return { file, target: JSON.parse(readFileSync(file, "utf8")), stop };
}
