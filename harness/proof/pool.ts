import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { moduleExtension } from "../package/home.ts";
import type { Proved, Task } from "./task.ts";

/** Processes that prove, each with the cases, faults and variants in memory and a server per task. */
export interface ProofPool {
  /** Proves one task as soon as a process has a place for it. Rejects where the proof itself fails. */
  prove<T extends Task>(task: T): Promise<Proved<T>>;
  /** Ends the processes. Idempotent. */
  close(): Promise<void>;
}

interface Waiting {
  readonly task: Task;
  /** How many processes have died with it. */
  deaths: number;
  readonly resolve: (proved: never) => void;
  readonly reject: (error: Error) => void;
}

interface Prover {
  readonly process: ChildProcess;
  readonly underWay: Map<number, Waiting>;
}

/** Room of one process: a proof waits now and then, and others use the time. */
const placesPerProcess = 12;

/** How many processes may die with a task before it is the task that fails, and how many are started in place of dead ones. */
const [mostDeaths, mostReplaced] = [2, 8];

/** Room a task takes. Of conforming servers, which are asked much and wait much, two fill a process but for a few faults. */
const rooms: Readonly<Record<Task["kind"], number>> = { fault: 1, diagnosis: 2, server: 5, pair: 2, elusive: 4 };

function roomOf({ kind }: Task): number {
  return rooms[kind];
}

/**
 * Starts processes, one for each processor unless told otherwise. A thread of them that runs the engine out of bounds takes its whole
 * process along: what that was about is tried once more in another.
 * @param cases URL of a module whose `loadCases` gives the cases that are proved
 * @param onDeath told, in a sentence, of each process that died and is replaced
 */
export function createProofPool(
  cases: string,
  onDeath: (told: string) => void,
  processes = availableParallelism(),
): ProofPool {
  const queue: Waiting[] = [];
  const pool = new Set<Prover>();
  let issued = 0;
  let replaced = 0;
  let isClosed = false;
  /** Why there is no process left. */
  let lost: Error | undefined;

  function start(): void {
    const worker = fileURLToPath(new URL(`./worker${moduleExtension}`, import.meta.url));
    const options: ForkOptions = { serialization: "advanced", execArgv: ["--disable-warning=ExperimentalWarning"] };
    const prover: Prover = { process: fork(worker, [cases], options), underWay: new Map() };
    pool.add(prover);
    prover.process.on(
      "message",
      ({ number, proved, failure }: { number: number; proved: unknown; failure?: string }) => {
        const waiting = prover.underWay.get(number);
        prover.underWay.delete(number);
        if (failure === undefined) waiting?.resolve(proved as never);
        else waiting?.reject(new Error(failure));
        hand();
      },
    );
    prover.process.once("exit", (code, signal) => replace(prover, `${signal ?? `exit code ${code}`}`));
  }

  /** Starts another process in place of a dead one, and has it try what that was about, as far as that is not what kills. */
  function replace(dead: Prover, how: string): void {
    pool.delete(dead);
    if (isClosed) return;
    const again = [...dead.underWay.values()];
    replaced += 1;
    for (const waiting of again.toReversed()) {
      waiting.deaths += 1;
      if (waiting.deaths < mostDeaths && replaced <= mostReplaced) queue.unshift(waiting);
      else waiting.reject(new Error(`a process of the proof died (${how}) with ${JSON.stringify(waiting.task)}`));
    }
    if (replaced <= mostReplaced) {
      onDeath(`a process of the proof died (${how}); its ${again.length} tasks are tried once more`);
      start();
    } else if (pool.size === 0) {
      lost = new Error(`too many processes of the proof died, the last of them by ${how}`);
      for (const { reject } of queue.splice(0)) reject(lost);
    }
    hand();
  }

  const takenOf = ({ underWay }: Prover) => [...underWay.values()].reduce((sum, { task }) => sum + roomOf(task), 0);

  /** Gives processes what there is room for, the longest waiting first: what needs much room lets the small go by. */
  function hand(): void {
    for (;;) {
      const [prover] = [...pool].toSorted((a, b) => takenOf(a) - takenOf(b));
      if (prover === undefined) return;
      const room = placesPerProcess - takenOf(prover);
      const at = queue.findIndex(({ task }) => roomOf(task) <= room);
      const next = queue[at];
      if (next === undefined) return;
      queue.splice(at, 1);
      issued += 1;
      prover.underWay.set(issued, next);
      // A process that is gone by now says so by itself.
      prover.process.send({ number: issued, task: next.task }, () => {});
    }
  }

  for (let started = 0; started < processes; started += 1) start();
  return {
    prove<T extends Task>(task: T) {
      return new Promise<Proved<T>>((resolve, reject) => {
        if (lost !== undefined) return reject(lost);
        queue.push({ task, deaths: 0, resolve: resolve as Waiting["resolve"], reject });
        hand();
      });
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...pool].map(async ({ process: child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const exited = once(child, "exit");
          child.kill("SIGKILL");
          await exited;
        }),
      );
    },
  };
}
