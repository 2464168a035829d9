import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import { isCanceled } from "../../../proto/states.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { contentOf } from "../../setup/alpha/content.ts";
import { startJob } from "../../setup/alpha/job.ts";
import { describeAnswer, wentThrough } from "../../setup/alpha/transfer.ts";
import { declared, send } from "../../setup/alpha/upload.ts";
import { awaitApproval } from "../../setup/beta/approval.ts";
import { startRun } from "../../setup/beta/run.ts";
import { textAt } from "../../wire/json.ts";
import { isOver } from "../../wire/states.ts";
import { type Made, type Model, modelKind } from "../model.ts";
import type { ForbiddenChange } from "../tracked-record.ts";

const cancelJob = rpc("alpha.v1.JobService/CancelJob");

const stateOf = (record: JsonObject) => textAt(record, "state");

/** Kinds that change by themselves: what they show may be compared whole never, but there are ways they must not go. */
const never = () => false;

/** What a job or run must not do by itself, by the clauses of its package. */
function forbidsOver(settle: string, cancel: string) {
  return (before: JsonObject, now: JsonObject): ForbiddenChange | undefined => {
    const [was, is] = [stateOf(before), stateOf(now)];
    if (isOver(before) && was !== is) return { clause: settle, says: `still ${was}, as it ended` };
    if (!/_CANCELING$/.test(was) || !/_(QUEUED|RUNNING)$/.test(is)) return undefined;
    return { clause: cancel, says: "no return to queued or running after its cancellation was accepted" };
  };
}

/** True where a record came to be canceled, as only a mutation does. */
const canceled = (before: JsonObject, now: JsonObject) => !isCanceled(stateOf(before)) && isCanceled(stateOf(now));

/** Artifacts: declared and uploaded, completed, deleted. */
export function artifactModel({ setup }: CaseContext): Model {
  const make = async (context: CaseContext): Promise<Made> => {
    const upload = await declared(context, contentOf(context, Buffer.from(context.random.token(64))));
    const sent = await send(context, upload);
    if (!wentThrough(sent)) throw new Unproven(`needs an upload to uploadUrl, which answered ${describeAnswer(sent)}`);
    const { row, request } = upload.reply;
    // An upload may count as a change.
    const subject = (await context.setup.current(upload.artifact)) ?? upload.artifact;
    return { subject, reply: upload.reply, again: { row, request, baseUrl: undefined } };
  };
  // What was uploaded may be checked behind the reply to its completion.
  const pending = (record: JsonObject) => stateOf(record) === "ARTIFACT_STATE_PENDING_UPLOAD";
  const kind = modelKind("artifact", "alpha.v1", setup.isTombstone, {
    make,
    // Verification may go on behind a completion, and behind one that is repeated, and count as a change when it ends: by
    // then it says nothing of the calls that came after.
    settled: () => false,
    mutations: { [Change.COMPLETES]: { mustServe: pending } },
  });
  return { package: "alpha.v1", kinds: [kind] };
}

/** Cancels a job that goes on: its version may move on by itself, so as often as it takes. */
async function stopJob(context: CaseContext, job: Subject): Promise<undefined> {
  const { setup, call, poll, target } = context;
  await poll(async () => {
    const now = await setup.current(job);
    if (now === undefined || isOver(now.record)) return true;
    await call(cancelJob, await setup.request(cancelJob, now), { baseUrl: job.baseUrl });
    return undefined;
  }, target.settings.patience.settleMs);
}

/** Jobs: started by a fixture, canceled, deleted. */
export function jobModel({ setup }: CaseContext): Model {
  const make = async (context: CaseContext, _within: JsonObject, draw: number): Promise<Made> => {
    const subject = await startJob(context, draw % 2 === 0 ? "succeed" : "slow");
    context.undo((undoing) => stopJob(undoing, subject), `job ${textAt(subject.id, "value")}`);
    return { subject };
  };
  const kind = modelKind("job", "alpha.v1", setup.isTombstone, {
    make,
    settled: never,
    forbids: forbidsOver("alpha.jobs.settle", "alpha.jobs.cancel"),
    betrays: canceled,
  });
  return { package: "alpha.v1", kinds: [kind] };
}

const decided = /_(APPROVED|REJECTED)$/;

/** Runs that wait for an approval, and their approvals: decided, canceled. */
export function runModel({ setup }: CaseContext): Model {
  const make = async (context: CaseContext): Promise<Made> => {
    const run = await startRun(context, "approval");
    return { subject: run, others: [await awaitApproval(context, run)] };
  };
  const runs = modelKind("run", "beta.v1", setup.isTombstone, {
    make,
    settled: never,
    forbids: forbidsOver("beta.runs.settle", "beta.runs.cancel"),
    betrays: canceled,
  });
  const approvals = modelKind("approval", "beta.v1", setup.isTombstone, {
    settled: never,
    forbids: (before, now) =>
      decided.test(stateOf(before)) && stateOf(before) !== stateOf(now)
        ? { clause: "beta.approvals.final", says: `still ${stateOf(before)}` }
        : undefined,
    betrays: (before, now) => !decided.test(stateOf(before)) && decided.test(stateOf(now)),
  });
  return { package: "beta.v1", kinds: [runs, approvals] };
}
