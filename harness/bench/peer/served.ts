import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PackageName } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import { ownChild } from "./children.ts";

/** A server that is tried, in a process of its own, until it is stopped. */
export interface Served {
  readonly targetFile: string;
  readonly target: TargetFile;
  /** How many requests it got since it was last asked. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

/** A server that has not started by then, or does not end, is killed. */
const deadlineMs = 30_000;

/**
 * Serves the reference of a package, with a fault in it where one is named.
 *
 * @param targetFile where its target file is written
 * @throws Error where it does not start
 */
export async function serveOne(packageName: PackageName, targetFile: string, fault?: string): Promise<Served> {
  const words = [join(import.meta.dirname, "server.ts"), targetFile, packageName];
  const child = ownChild(
    spawn(process.execPath, fault === undefined ? words : [...words, fault], { stdio: ["pipe", "pipe", "ignore"] }),
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    const line = await lines.next();
    clearTimeout(timer);
    if (line.done === true) throw new Error(`the server with ${fault ?? "no fault"} ended, or took too long`);
    return line.value;
  };
  await nextLine();
  return {
    targetFile,
    target: JSON.parse(readFileSync(targetFile, "utf8")) as TargetFile,
    async requests() {
      child.stdin.write("\n");
      return Number(await nextLine());
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs / 10);
      await ended;
      clearTimeout(timer);
    },
  };
}
