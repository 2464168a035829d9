import { runAll } from "../../runner/drive.ts";
import { planOrder } from "../../runner/order.ts";
import { longPatience, withServerUnderProof } from "../server-under-proof.ts";
import type { Graph } from "./graphs.ts";
import type { Coverage, CoverageTask } from "./task.ts";
import type { TryOptions } from "./try-mutant.ts";

/** Puts each case to a server of its own, one after another, and notes which mutants it executes. */
export async function runForCoverage(
  task: CoverageTask,
  graph: Graph,
  { cases, seed, runs, start }: TryOptions,
): Promise<Coverage> {
  const made: Coverage["cases"][number][] = [];
  for (const [place, instance] of task.instances.entries()) {
    const name = String(place + 1);
    const { results, run } = await withServerUnderProof(
      { package: task.package },
      longPatience,
      (target) => {
        graph.switch.currentTestId = name;
        const order = planOrder(
          { target: target.settings, seed, runs },
          cases,
          ({ case: one, row }) => one.id === instance.id && row.name === instance.rpc,
        );
        return runAll(order, cases, { skipCleanup: true });
      },
      start,
    );
    graph.switch.currentTestId = undefined;
    made.push({
      instance,
      covers: Object.keys(graph.switch.mutantCoverage?.perTest[name] ?? {}),
      cost: run.wire.count,
      held: results.every(({ outcome }) => outcome === "held"),
    });
  }
  return { always: Object.keys(graph.switch.mutantCoverage?.static ?? {}), cases: made };
}
