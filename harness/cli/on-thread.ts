import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { moduleExtension } from "../package/home.ts";
import type { TargetFile } from "../target/schema.ts";

/** Reference services on a thread of their own, and the target file they make. */
export interface OnThread {
  readonly file: TargetFile;
  /** Stops them, and the thread. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts both reference services, as they are, on a thread of their own: what they have to do takes nothing from the thread that
 * judges them. Rejects where one cannot listen.
 */
export async function startOnThread(): Promise<OnThread> {
  const worker = new Worker(new URL(`./reference-thread${moduleExtension}`, import.meta.url), {
    name: "hallmark references",
    execArgv: [],
  });
  // Not `once` of events, which rejects on an error, too: that of the start is told once.
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const [file] = (await once(worker, "message")) as [TargetFile];
  return {
    file,
    async close() {
      worker.postMessage("close");
      await exited;
    },
  };
}
