import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import { isCanceled } from "../../../proto/states.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { startJob } from "../../setup/alpha/job.ts";
import { awaitApproval } from "../../setup/beta/approval.ts";
import { startRun } from "../../setup/beta/run.ts";
import { endOf } from "../../setup/work.ts";
import { isDefault, sameJson, textAt, valueAt } from "../../wire/json.ts";
import { isOver, showsState } from "../../wire/states.ts";
import { type Created, type Model, type ModelRecord, modelKind } from "../model.ts";
import type { ForbiddenChange } from "../tracked-record.ts";

const cancelJob = rpc("alpha.v1.JobService/CancelJob");

const stateOf = (record: JsonObject) => textAt(record, "state");

/** Jobs, runs and approvals change by themselves, so that only some fields and state transitions can be judged. */
const neverSettled = () => false;

/** State transitions that a job or run must not make: out of a final state and, where a clause says so, out of canceling back to work. */
function forbiddenTransition(settleClause: string, cancelClause?: string) {
  return (before: JsonObject, after: JsonObject): ForbiddenChange | undefined => {
    const [from, to] = [stateOf(before), stateOf(after)];
    if (isOver(before) && from !== to) return { clause: settleClause, expected: `still ${from}, its final state` };
    if (cancelClause === undefined || !/_CANCELING$/.test(from) || !/_(QUEUED|RUNNING)$/.test(to)) return undefined;
    return { clause: cancelClause, expected: "no return to queued or running after its cancellation was accepted" };
  };
}

/** A record comes to be canceled by a mutation only. */
const canceling = (before: JsonObject, after: JsonObject) =>
  !isCanceled(stateOf(before)) && isCanceled(stateOf(after)) ? Change.CANCELS : undefined;

/**
 * Cancels a job that is not over, repeatedly, as its version may move on between a read and the cancellation; once only
 * where nobody sees a job come to its end.
 */
async function stopJob(context: CaseContext, job: Subject): Promise<readonly string[]> {
  const { setup, call, poll, run, target } = context;
  const inVain = run.circuits.inVain(endOf(job)) !== undefined;
  await poll(
    async () => {
      const now = await setup.current(job);
      if (now === undefined || isOver(now.record)) return true;
      await call(cancelJob, await setup.request(cancelJob, now), { baseUrl: job.baseUrl });
      return showsState(now.record) ? undefined : true;
    },
    inVain ? 0 : target.settings.patience.settleMs,
  );
  // What is left of it the undoing of its making says.
  return [];
}

/** Jobs: started by a fixture, canceled, deleted. */
export function jobModel({ setup }: CaseContext): Model {
  const create = async (context: CaseContext, _within: JsonObject, variation: number): Promise<Created> => {
    const subject = await startJob(context, variation % 2 === 0 ? "succeed" : "slow");
    context.undo((undoing) => stopJob(undoing, subject), `job ${textAt(subject.id, "value")}`);
    return { subject };
  };
  const kind = modelKind("job", "alpha.v1", setup.isTombstone, {
    create,
    settled: neverSettled,
    forbiddenChange: forbiddenTransition("alpha.jobs.settle"),
    mutationOf: canceling,
  });
  return { package: "alpha.v1", kinds: [kind] };
}

/**
 * A decision may cancel the run that waits for it: which states it leads to is not shown. What was refused on that run before
 * need not have done it.
 */
function applyDecision(records: readonly ModelRecord[], reply: JsonObject): undefined {
  const runId = valueAt(reply, "approval.runId");
  for (const { kind, tracked } of records) {
    if (kind.kind === "run" && (isDefault(runId) || sameJson(tracked.id, runId))) tracked.noEffectCalls = [];
  }
}

const isDecided = (record: JsonObject) => /_(APPROVED|REJECTED)$/.test(stateOf(record));

/** Runs that wait for an approval, and their approvals: decided, canceled. */
export function runModel({ setup }: CaseContext): Model {
  const create = async (context: CaseContext): Promise<Created> => {
    const run = await startRun(context, "approval");
    return { subject: run, others: [await awaitApproval(context, run)] };
  };
  const runs = modelKind("run", "beta.v1", setup.isTombstone, {
    create,
    settled: neverSettled,
    forbiddenChange: forbiddenTransition("beta.runs.settle"),
    mutationOf: canceling,
  });
  const approvals = modelKind("approval", "beta.v1", setup.isTombstone, {
    settled: neverSettled,
    forbiddenChange: (before, after) =>
      isDecided(before) && stateOf(before) !== stateOf(after)
        ? { clause: "beta.approvals.final", expected: `still ${stateOf(before)}` }
        : undefined,
    mutationOf: (before, after) => (!isDecided(before) && isDecided(after) ? Change.DECIDES : undefined),
    mutations: { [Change.DECIDES]: { applySideEffects: applyDecision } },
  });
  return { package: "beta.v1", kinds: [runs, approvals] };
}
