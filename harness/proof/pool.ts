import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { moduleExtension } from "../package/home.ts";
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

/** Room of one thread: a proof waits now and then, and others use the time. */
const placesPerThread = 12;

/** Room a task takes. Of conforming servers, which are asked much and wait much, two fill a thread but for a few faults. */
const rooms: Readonly<Record<Task["kind"], number>> = { fault: 1, diagnosis: 2, server: 5, pair: 2, elusive: 4 };

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

  /** Gives threads what there is room for, the longest waiting first: what needs much room lets the small go by. */
  function hand(): void {
    for (;;) {
      const [thread] = pool.toSorted((a, b) => takenOf(a) - takenOf(b));
      if (thread === undefined) return;
      const room = placesPerThread - takenOf(thread);
      const at = queue.findIndex(({ task }) => roomOf(task) <= room);
      const next = queue[at];
      if (next === undefined) return;
      queue.splice(at, 1);
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
