import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { moduleExtension } from "../../package/home.ts";
import type { Ended, MutantsTask } from "./task.ts";

/** Threads that try mutants, each on modules of its own. */
export interface MutantPool {
  /** Tries one task as soon as a thread has a place. Rejects where the trying itself fails. */
  try<T extends MutantsTask>(task: T): Promise<Ended<T>>;
  /** Tasks it does at once. */
  readonly places: number;
  /** Ends the threads. Idempotent. */
  close(): Promise<void>;
}

interface Waiting {
  readonly task: MutantsTask;
  /** It kept a thread from answering, or was there when another did: it is tried again with nothing beside it. */
  readonly alone: boolean;
  readonly resolve: (ended: never) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  worker: Worker;
  readonly underWay: Map<number, Waiting>;
  heard: number;
  /** Tasks it was given: each leaves its modules in memory. */
  given: number;
}

const placesPerThread = 5;
/** Tasks after which a thread is replaced: each leaves some megabytes behind. */
const tasksPerThread = 120;
/** Silence after which a thread counts as hung, in milliseconds; one that starts or is busy stays below. */
const silenceMs = 45_000;

/**
 * Starts threads, one for each processor unless told otherwise.
 * @param cases URL of a module whose `loadCases` gives the cases
 * @param sources the reference with every mutant in it, by path
 * @param onStray told of errors nobody caught that belong to no mutant
 */
export function createMutantPool(
  cases: string,
  sources: Readonly<Record<string, string>>,
  onStray: (stack: string) => void = () => {},
  threads = availableParallelism(),
): MutantPool {
  const queue: Waiting[] = [];
  let issued = 0;
  let isClosed = false;

  const begin = (thread: Thread): Worker => {
    const worker = new Worker(new URL(`./worker${moduleExtension}`, import.meta.url), {
      workerData: { cases, sources },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: 3000 },
    });
    worker.on("message", ({ number, ended, failure, stray }) => {
      thread.heard = performance.now();
      if (stray !== undefined) onStray(stray);
      if (number === undefined) return;
      const waiting = thread.underWay.get(number);
      thread.underWay.delete(number);
      if (failure === undefined) waiting?.resolve(ended as never);
      else waiting?.reject(new Error(failure));
      if (thread.given >= tasksPerThread && thread.underWay.size === 0) replace(thread);
      hand();
    });
    worker.on("error", (error: Error) => {
      if (thread.worker === worker) giveUp(thread, error.message);
    });
    Object.assign(thread, { heard: performance.now(), given: 0 });
    return worker;
  };
  const replace = (thread: Thread) => {
    void thread.worker.terminate();
    thread.worker = begin(thread);
  };
  /** What was under way on a thread that is lost: who was there alone did it, the others are tried anew. */
  const giveUp = (thread: Thread, why: string) => {
    for (const waiting of thread.underWay.values()) {
      if (waiting.task.kind === "coverage") waiting.reject(new Error(`a thread was lost: ${why}`));
      else if (waiting.alone) waiting.resolve({ is: "timed out", why } as never);
      else queue.push({ ...waiting, alone: true });
    }
    thread.underWay.clear();
    replace(thread);
    hand();
  };

  const pool: Thread[] = Array.from({ length: threads }, () => {
    const thread = { underWay: new Map(), heard: 0, given: 0 } as unknown as Thread;
    thread.worker = begin(thread);
    return thread;
  });
  const watchdog = setInterval(() => {
    for (const thread of pool) {
      if (performance.now() - thread.heard > silenceMs && thread.underWay.size > 0) {
        giveUp(thread, `no answer for ${silenceMs / 1000} s`);
      }
    }
  }, 1000);
  watchdog.unref();

  const roomOf = ({ alone }: Waiting) => (alone ? placesPerThread : 1);
  const takenOf = ({ underWay }: Thread) => [...underWay.values()].reduce((sum, one) => sum + roomOf(one), 0);

  function hand(): void {
    for (;;) {
      const free = pool.filter(({ given }) => given < tasksPerThread);
      const [thread] = free.toSorted((a, b) => takenOf(a) - takenOf(b));
      if (thread === undefined || isClosed) return;
      const room = placesPerThread - takenOf(thread);
      const at = queue.findIndex((waiting) => roomOf(waiting) <= room);
      const next = queue[at];
      if (next === undefined) return;
      queue.splice(at, 1);
      issued += 1;
      thread.given += 1;
      if (thread.underWay.size === 0) thread.heard = performance.now();
      thread.underWay.set(issued, next);
      thread.worker.postMessage({ number: issued, task: next.task });
    }
  }

  return {
    places: threads * placesPerThread,
    try<T extends MutantsTask>(task: T) {
      return new Promise<Ended<T>>((resolve, reject) => {
        queue.push({ task, alone: false, resolve: resolve as Waiting["resolve"], reject });
        hand();
      });
    },
    async close() {
      isClosed = true;
      clearInterval(watchdog);
      await Promise.all(pool.map(({ worker }) => worker.terminate()));
    },
  };
}
