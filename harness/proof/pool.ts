import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { moduleExtension } from "../home.ts";
import type { Proved, Task } from "./task.ts";

/** Threads that prove, each with the cases, faults and variants in memory and a server per task. */
export interface ProofPool {
  /** Proves one task as soon as a thread has a place for it. Rejects where the proof itself fails. */
  prove<T extends Task>(task: T): Promise<Proved<T>>;
  /** Ends the threads. Idempotent. */
  close(): Promise<void>;
}

interface Waiting {
  readonly task: Task;
  readonly resolve: (proved: never) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly underWay: Map<number, Waiting>;
}

/** Tasks of one thread at once: a proof waits now and then, and others use the time. */
const placesPerThread = 8;

/**
 * Room a task takes: a conforming server, which is asked everything, has a thread to itself, or the time to answer runs
 * out.
 */
const rooms: Readonly<Record<Task["kind"], number>> = { fault: 1, diagnosis: 2, server: placesPerThread };

function roomOf({ kind }: Task): number {
  return rooms[kind];
}

/**
 * Starts threads, one for each processor unless told otherwise.
 * @param cases URL of a module whose `loadCases` gives the cases that are proved
 */
export function createProofPool(cases: string, threads = availableParallelism()): ProofPool {
  const queue: Waiting[] = [];
  let issued = 0;
  const pool: Thread[] = Array.from({ length: threads }, () => {
    const thread: Thread = {
      worker: new Worker(new URL(`./worker${moduleExtension}`, import.meta.url), { workerData: { cases } }),
      underWay: new Map(),
    };
    thread.worker.on("message", ({ number, proved, failure }) => {
      const waiting = thread.underWay.get(number);
      thread.underWay.delete(number);
      if (failure === undefined) waiting?.resolve(proved as never);
      else waiting?.reject(new Error(failure));
      hand();
    });
    thread.worker.on("error", (error: Error) => {
      for (const { reject } of [...thread.underWay.values(), ...queue.splice(0)]) reject(error);
      thread.underWay.clear();
    });
    return thread;
  });

  const takenOf = ({ underWay }: Thread) => [...underWay.values()].reduce((sum, { task }) => sum + roomOf(task), 0);

  /** Gives the next in the queue to the thread with most room, as long as there is any. */
  function hand(): void {
    for (let [next] = queue; next !== undefined; [next] = queue) {
      const [thread] = pool.toSorted((a, b) => takenOf(a) - takenOf(b));
      if (thread === undefined || takenOf(thread) + roomOf(next.task) > placesPerThread) return;
      queue.shift();
      issued += 1;
      thread.underWay.set(issued, next);
      thread.worker.postMessage({ number: issued, task: next.task });
    }
  }

  return {
    prove<T extends Task>(task: T) {
      return new Promise<Proved<T>>((resolve, reject) => {
        queue.push({ task, resolve: resolve as Waiting["resolve"], reject });
        hand();
      });
    },
    async close() {
      await Promise.all(pool.map(({ worker }) => worker.terminate()));
    },
  };
}
