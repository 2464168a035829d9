import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { cancelRun, inputFor, type RunScript } from "../../../harness/setup/beta/run.ts";
import { idIn, recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { isDefault, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { judgeLateCancellation, judgeWrongCancellation } from "../../common/late-cancellation.ts";
import { judgeFinal, runToEnd } from "./ends.ts";
import { startRequest } from "./runs.ts";

const createRun = rpc("beta.v1.RunService/CreateRun");
const getJob = rpc("beta.v1.PlatformService/GetJob");

/** Judges that a run whose cancellation moved its update time does not come to its end with that of its creation. */
function judgeMoved({ judge }: CaseContext, canceled: Reply, ended: Reply): void {
  const [before, now] = [recordIn(canceled), recordIn(ended)];
  const wasMoved = !isDefault(before.updatedAt) && !sameJson(before.updatedAt, before.createdAt);
  judge(ended, "*.records.update-time", [canceled]).satisfies(
    !wasMoved || isDefault(now.updatedAt) || !sameJson(now.updatedAt, before.createdAt),
    `a later time than its creation, as ${showJson(before.updatedAt)} was shown before`,
    showJson(now.updatedAt),
    "run.updatedAt",
  );
}

/** Judges that the job of a run whose cancellation moved its update time was not completed when the run was created. */
async function judgeCompleted(context: CaseContext, run: Subject, canceled: Reply): Promise<void> {
  const { setup, call, judge } = context;
  const before = recordIn(canceled);
  const jobId = before.jobId ?? run.record.jobId;
  if (isDefault(jobId) || isDefault(before.updatedAt) || sameJson(before.updatedAt, before.createdAt)) return;
  const reply = await call(getJob, {
    ...(await setup.request(getJob, undefined)),
    ...run.within,
    jobId: jobId ?? null,
  });
  if (reply.outcome !== "served") return;
  const { completedAt } = recordIn(reply);
  judge(reply, "*.records.times", [canceled]).satisfies(
    isDefault(completedAt) || !sameJson(completedAt, before.createdAt),
    `a later time than its run's creation: that was shown as updated at ${showJson(before.updatedAt)}`,
    showJson(completedAt),
    "job.completedAt",
  );
}

/** Observes what becomes of a run whose cancellation was served, and judges that it stays as it ends, where it does. */
async function judgeCanceled(context: CaseContext, run: Subject, canceled: Reply): Promise<void> {
  const { observe, setup } = context;
  const replies = await follow(context, run);
  const states = [canceled, ...replies].map((reply) => textAt(recordIn(reply), "state"));
  const last = replies.at(-1) ?? canceled;
  const path = states.filter((state, index) => state !== "" && state !== states[index - 1]);
  observe("*.open.cancel", `a run whose cancellation was accepted goes ${path.join(", ")}`);
  if (!isOver(recordIn(last))) return;
  judgeMoved(context, canceled, last);
  await judgeCompleted(context, run, canceled);
  await judgeFinal(context, run, last);
  const ended = (await setup.current(run)) ?? run;
  if (isOver(ended.record)) await judgeWrongCancellation(context, ended, "canceled run");
}

/** Judges that the call that created a run makes no other where it is replayed once the run was canceled. */
async function judgeReplay({ call, judge }: CaseContext, created: Reply): Promise<void> {
  const replay = await call(createRun, created.request, { exempt: ["wire/records-show-what-was-stored"] });
  if (replay.outcome !== "served") return;
  judge(replay, "*.idempotency.one-effect", [created]).satisfies(
    sameJson(idIn(replay), idIn(created)),
    `the run that the first call created, ${showJson(idIn(created))}`,
    showJson(idIn(replay)),
    "run.runId",
  );
}

interface Cancellation {
  readonly run: "running-run" | "new-run" | "run-awaiting-approval";
  readonly script: RunScript;
  readonly what: string;
  /** Waits until the run is in the state in which it is canceled. */
  ready(context: CaseContext, run: Subject): Promise<Subject>;
}

const cancellations: readonly Cancellation[] = [
  {
    run: "running-run",
    script: "slow",
    what: "in progress",
    ready: async (context, run) => {
      const running = await context.poll(async () => {
        const now = await context.setup.current(run);
        return now !== undefined && textAt(now.record, "state") !== "RUN_STATE_QUEUED" ? now : undefined;
      }, context.target.settings.patience.settleMs);
      return running ?? run;
    },
  },
  { run: "new-run", script: "slow", what: "just created", ready: async (_, run) => run },
  {
    run: "run-awaiting-approval",
    script: "approval",
    what: "that awaits approval",
    ready: async (context, run) => {
      await awaitApproval(context, run);
      return (await context.setup.current(run)) ?? run;
    },
  },
];

export const canceled = cancellations.map(({ run: which, script, what, ready }) =>
  defineCase({
    id: `lifecycle/canceled-${which}-stays-ended`,
    says: `a run ${what} whose cancellation was accepted stays ended once it has; how, and whether, it ends is recorded`,
    clauses: [
      "beta.runs.settle",
      "beta.open.cancel",
      "beta.versioning.expected",
      "beta.records.update-time",
      "beta.records.times",
      "beta.idempotency.one-effect",
    ],
    rpc: "beta.v1.RunService/CancelRun",
    async run(context) {
      const { setup, call, needs } = context;
      const created = await call(createRun, await startRequest(context, { input: inputFor(context, script) }));
      needs(created);
      const run = await ready(context, { ...setup.subjectIn(created), changesOnlyByMutation: false });
      const reply = await cancelRun(context, run);
      if (reply === undefined) throw new Unproven("needs a cancellation that is accepted");
      needs(reply);
      await judgeCanceled(context, run, reply);
      await judgeReplay(context, created);
    },
  }),
);

/** Ends after which nothing is left to cancel. Whether the outcome of a run comes to be known once it is canceled is not shown. */
const ends: readonly (readonly [name: string, script: RunScript])[] = [
  ["finished", "complete"],
  ["failed", "fail"],
];

export const tooLate = ends.map(([name, script]) =>
  defineCase({
    id: `lifecycle/${name}-run-is-not-canceled`,
    says: `canceling a run that has ${name === "failed" ? "failed leaves it failed" : "succeeded leaves it succeeded"}, and is not served at another version`,
    clauses: ["beta.runs.settle", "beta.versioning.refused-keep", "beta.versioning.expected"],
    rpc: "beta.v1.RunService/CancelRun",
    async run(context) {
      const { run, ended } = await runToEnd(context, script);
      const record = recordIn(ended);
      await judgeLateCancellation(context, { ...run, record, version: versionOf(record) }, `${name} run`);
    },
  }),
);
