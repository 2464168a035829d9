import type { Case } from "../case/case.ts";
import type { RunOrder } from "../case/order.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, RunSummary } from "../case/result.ts";
import { titleOf } from "./assert.ts";
import { within } from "./deadline.ts";
import type { Run } from "./run.ts";
import { openSession, type SessionOptions } from "./session.ts";
import { withTriage } from "./triage.ts";

/** How a session is driven to its end in this process. */
export interface DriveOptions {
  /** Orders the cases: those of a lower rank start first. */
  readonly rank?: (instance: Instance) => number;
  /** Repeats red cases, and adds to their results how they behaved. Default: does not. */
  readonly triage?: boolean;
  /** Ends the run early: no further case is put, and what was made is undone. */
  readonly interrupt?: AbortSignal;
}

/** What a run came to. */
export interface Ran {
  readonly run: Run;
  readonly results: readonly CaseResult[];
  readonly summary: RunSummary;
}

/** Cases under way at once, where nobody says. */
const usualConcurrency = 32;

/** Cases of a package that are put at a time, in times of those usually under way: some more may be. */
const putTimes = 4;

/** Runs an order in this process, from its first case to its end. A run that was given up concludes nothing. */
export async function runAll(
  order: RunOrder,
  cases: readonly Case[],
  options: SessionOptions & DriveOptions = {},
): Promise<Ran> {
  const { concurrency = usualConcurrency, adaptive = false, rank, interrupt } = options;
  const session = openSession(order, cases, { ...options, concurrency });
  interrupt?.addEventListener("abort", session.interrupt, { once: true });
  const queue = rank === undefined ? session.runnable : session.runnable.toSorted((a, b) => rank(a) - rank(b));
  const results: CaseResult[] = [];
  // While the cases of one package wait for their phase, those of the other go on.
  const works = [...Map.groupBy(queue, ({ row }) => row.package).values()].flatMap((own) => {
    let next = 0;
    const work = async () => {
      for (let one = own[next++]; one !== undefined && !session.run.ended.aborted; one = own[next++]) {
        const told = `${titleOf(one)} did not come to its end`;
        results.push(await within(session.waitMs, session.runCase(one), told));
      }
    };
    return Array.from({ length: adaptive ? concurrency * putTimes : concurrency }, work);
  });
  await Promise.all(works);
  const classes = options.triage === true && !session.run.ended.aborted ? await session.triage() : [];
  const summary = await session.close();
  if (session.run.ended.aborted) return { run: session.run, results, summary };
  results.push(...session.invariants.map((instance) => session.conclude(instance)));
  session.end();
  return { run: session.run, results: withTriage(results, classes, order), summary };
}
