import { parentPort, workerData } from "node:worker_threads";
import type { Case } from "../../case/case.ts";
import { runForCoverage } from "./coverage-run.ts";
import { closeSwitch, createGraphLoader, graphInStack, openSwitch } from "./graphs.ts";
import type { Ended, MutantEnd, MutantsTask, MutantTask } from "./task.ts";
import { type TryOptions, tryMutant } from "./try-mutant.ts";

// Deep enough to show whose code threw, and no deeper: errors are made by the hundred thousand here.
Error.stackTraceLimit = 12;

const { loadCases } = (await import(workerData.cases)) as { loadCases: () => Promise<readonly Case[]> };
const cases = await loadCases();
const load = createGraphLoader(workerData.sources);

/** Told of what ends the process of a server, by the name of its graph. */
const crashes = new Map<string, (error: Error) => void>();
process.on("uncaughtException", (error: Error) => {
  const crash = crashes.get(graphInStack(error.stack ?? "") ?? "");
  if (crash === undefined) parentPort?.postMessage({ stray: error.stack ?? error.message });
  else crash(error);
});

/** Executions of one mutant after which its loop counts as endless: a whole run takes some ten thousand. */
const hitLimit = 3_000_000;

/** How long a server may take to close, in milliseconds: its mutant may be that it never does. */
const closeMs = 2000;

/** `start` of a graph, with a close that ends, and a failure to start told apart from any other. */
function guarded(start: TryOptions["start"], onUnstarted: (error: unknown) => void): TryOptions["start"] {
  return async (options) => {
    const timeout = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
    try {
      const embedded = await Promise.race([start(options), timeout(10_000, undefined)]);
      if (embedded === undefined) throw new Error("it does not listen after 10 s");
      const close = async () => {
        await Promise.race([embedded.close().catch(() => {}), timeout(closeMs, undefined)]);
      };
      return { ...embedded, close };
    } catch (error) {
      onUnstarted(error);
      throw error;
    }
  };
}

async function proveMutant(task: MutantTask, name: string): Promise<MutantEnd> {
  const active = openSwitch(name);
  Object.assign(active, { activeMutant: task.mutant ?? "none", hitCount: 0, hitLimit });
  let unstarted: unknown;
  const crashed = new Promise<MutantEnd>((resolve) => {
    crashes.set(name, ({ message }) => resolve({ is: "crashed", why: message }));
  });
  const tried = async (): Promise<MutantEnd> => {
    try {
      const graph = await load(name).catch((error) => {
        unstarted = error;
        throw error;
      });
      const start = guarded(graph.start, (error) => {
        unstarted = error;
      });
      return await tryMutant(task.questions, { cases, seed: task.seed, runs: task.runs, start });
    } catch (error) {
      if (unstarted !== undefined) return { is: "not started", why: String(unstarted) };
      // A server whose address or keys make no target file is none that could be asked.
      return { is: "not started", why: `${error}` };
    }
  };
  return Promise.race([tried(), crashed]);
}

async function prove(task: MutantsTask, name: string): Promise<Ended<MutantsTask>> {
  try {
    if (task.kind === "mutant") return await proveMutant(task, name);
    openSwitch(name);
    const graph = await load(name);
    return await runForCoverage(task, graph, { cases, seed: task.seed, runs: task.runs, start: graph.start });
  } finally {
    crashes.delete(name);
    closeSwitch(name);
  }
}

setInterval(() => parentPort?.postMessage({ alive: true }), 1000).unref();
parentPort?.on("message", ({ number, task }: { number: number; task: MutantsTask }) => {
  prove(task, `graph${number}`).then(
    (ended) => parentPort?.postMessage({ number, ended }),
    (error: Error) => parentPort?.postMessage({ number, failure: error.stack ?? error.message }),
  );
});
