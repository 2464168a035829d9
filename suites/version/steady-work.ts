import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { requireRunsCanceled, startRun } from "../../harness/setup/beta/run.ts";
import { watchRun } from "../../harness/setup/beta/run-stream.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Change } from "../../proto/rpcs.ts";

/** Reads of work whose version does not change, after which it counts as steady at its first version. */
const maxReads = 4;

/** Moves of a version on the way to steadiness, at most: states it passes through, and some steps of progress. */
const maxMoves = 8;

/** Races without a winner, because the work changed by itself, before the case gives up. */
const maxRaces = 5;

/** Work whose version is steady, and what the RPC changes: the work itself, or the approval it waits for. */
export interface SteadyWork {
  readonly work: Subject;
  readonly changed: Subject;
}

/** Starts work whose version stays steady until a caller changes it. */
export async function startSteadyWork(context: CaseContext): Promise<SteadyWork> {
  const { row, setup } = context;
  if (row.change !== Change.DECIDES) {
    await (row.package === "alpha.v1" ? requireJobsCanceled(context) : requireRunsCanceled(context));
    const work = await startSlowWork(context);
    return { work, changed: work };
  }
  const started = await startRun(context, "approval");
  const changed = await awaitApproval(context, started);
  return { work: (await setup.current(started)) ?? started, changed };
}

async function startSlowWork(context: CaseContext): Promise<Subject> {
  const { row, setup, signal, target, poll } = context;
  const work = await (row.package === "alpha.v1" ? startJob(context, "slow") : startRun(context, "slow"));
  const { settleMs, quietMs } = target.settings.patience;
  let known = work.version;
  let [looks, moves] = [0, 0];
  const steady = await poll(async () => {
    await sleep(quietMs / 10, signal);
    const now = (await setup.current(work)) ?? work;
    if (now.version !== known && !isOver(now.record)) moves += 1;
    looks = now.version === known ? looks + 1 : 0;
    known = now.version;
    // Work may be steady from the start.
    const isSteady = looks >= (now.version === work.version ? maxReads : 1);
    return isSteady ? { ...work, record: now.record, version: now.version } : undefined;
  }, settleMs);
  if (steady !== undefined) return steady;
  if (moves > maxMoves) throw new ChosenOtherwise(`a ${work.kind} that goes on moves its version all the time`);
  throw new Unproven(`needs a slow ${work.kind} that starts, and stays at one version`);
}

/** The outcome of a race to change some work. */
export interface RaceOutcome {
  readonly work: Subject;
  readonly winner: Reply | undefined;
  readonly losers: readonly Reply[];
  /** Every record or event a watcher saw. */
  readonly shown: readonly JsonObject[];
}

/** Makes `many` concurrent calls at the current version, until one of them is served; then waits for the work to end. */
export async function raceToChange(
  context: CaseContext,
  { work, changed }: SteadyWork,
  many: number,
): Promise<RaceOutcome> {
  const { row, setup, call, target } = context;
  const watch = () => (row.package === "alpha.v1" ? watchJob(context, work, undefined) : watchRun(context, work));
  const isPast = ({ record }: Subject) =>
    isOver(record) || (changed !== work && textAt(record, "state") !== textAt(changed.record, "state"));
  const change = async () => {
    const losers: Reply[] = [];
    // Opens the connections first: on new ones calls would arrive one by one.
    const [first] = await Promise.all(Array.from({ length: many }, () => setup.current(changed)));
    let now = first === undefined ? changed : { ...changed, record: first.record, version: first.version };
    for (let races = 0; races < maxRaces; races += 1) {
      const requests = await Promise.all(Array.from({ length: many }, () => setup.request(row, now)));
      const replies = await sendTogether(many, (batch, index) =>
        call(row, requests[index] ?? {}, { baseUrl: changed.baseUrl, batch }),
      );
      losers.push(...replies.filter(({ outcome }) => outcome === "refused"));
      const winners = replies.filter(({ outcome }) => outcome === "served");
      // Another case judges whether more than one wins.
      if (winners.length > 0) return { winner: winners.length === 1 ? winners[0] : undefined, losers };
      const current = (await setup.current(changed)) ?? now;
      if (isPast(current)) break;
      now = { ...now, record: current.record, version: current.version };
    }
    throw new Unproven(`needs a ${changed.kind} that ${row.method} changes`);
  };
  // Where the target allows few concurrent calls, open watches would block the changes: then the watch comes afterwards.
  const watching = target.limits.concurrency > 2 ? watch() : undefined;
  // A failure is reported when the watch is awaited below.
  watching?.catch(() => {});
  const ended = await change();
  const watched = await (watching ?? watch());
  return { work, ...ended, shown: "jobs" in watched ? watched.jobs : watched.events };
}
