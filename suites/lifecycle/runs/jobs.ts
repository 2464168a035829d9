import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { isBefore } from "../../../harness/oracles/agreement.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { judgeSelfChanges } from "../../../harness/oracles/self-changes.ts";
import { cancelRun, type RunScript, runEnd, startNext, startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow, settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { rpc } from "../../../proto/rpcs.ts";

const getJob = rpc("beta.v1.PlatformService/GetJob");

/** A request for the job of a run, as a record of the run names it. */
async function jobRequest({ setup }: CaseContext, run: Subject, { jobId }: JsonObject): Promise<JsonObject> {
  if (isDefault(jobId)) throw new ChosenOtherwise("such a run has no job");
  return { ...(await setup.request(getJob, undefined)), ...run.within, jobId: jobId ?? null };
}

/** Reads the job of an ended run until it has the state of the run, or patience ends. */
async function readJob(context: CaseContext, run: Subject, ended: Reply): Promise<Reply> {
  const { setup, call, target } = context;
  const { state = null } = recordIn(ended);
  const request = await jobRequest(context, run, recordIn(ended));
  let last = await call(getJob, request);
  await context.poll(async () => {
    if (last.outcome !== "served" || sameJson(recordIn(last).state, state)) return true;
    last = await call(getJob, { ...request, requestId: setup.requestId() });
    return undefined;
  }, target.settings.patience.settleMs);
  return last;
}

/** Judges that an ended run and its job agree. */
async function judgeJob(context: CaseContext, run: Subject, ended: Reply): Promise<Reply> {
  const { judge, needs } = context;
  const reply = await readJob(context, run, ended);
  needs(reply);
  const [job, record] = [recordIn(reply), recordIn(ended)];
  const agree = judge(reply, "*.jobs.agree", [ended]);
  agree.shows("job.runId", run.id);
  agree.shows("job.jobId", record.jobId ?? null);
  agree.shows("job.state", record.state ?? null);
  judge(reply, "*.records.times", [ended]).satisfies(
    !isBefore(job.completedAt, record.createdAt),
    `not before its run was created, ${showJson(record.createdAt)}`,
    showJson(job.completedAt),
    "job.completedAt",
  );
  return reply;
}

/** Ways a run ends, by the script that brings it there. */
const endings: readonly (readonly [script: RunScript, ending: string])[] = [
  ["complete", "succeeded"],
  ["fail", "failed"],
  ["unknown", "unknown-outcome"],
];

export const agree = endings.map(([script, ending]) =>
  defineCase({
    id: `lifecycle/${ending}-run-and-job-agree`,
    says: "an ended run and its job name each other and are in the same state",
    clauses: ["beta.jobs.agree", "beta.records.times"],
    rpc: getJob.name,
    async run(context) {
      const run = await startRun(context, script);
      await judgeJob(context, run, runEnd(await follow(context, run), script));
    },
  }),
);

export const canceled = defineCase({
  id: "lifecycle/canceled-run-and-job-agree",
  says: "a canceled run and its job reach the same state, and the job is at another version than before",
  clauses: ["beta.jobs.agree", "beta.records.agree"],
  rpc: getJob.name,
  async run(context) {
    const { call, judge } = context;
    const run = await context.setup.fresh("run:running");
    const before = await call(getJob, await jobRequest(context, run, run.record));
    const reply = await cancelRun(context, run);
    if (reply === undefined) throw new Unproven("needs a cancellation that is accepted");
    context.needs(reply);
    const ended = (await follow(context, run)).at(-1) ?? reply;
    if (!isOver(recordIn(ended))) throw new ChosenOtherwise("a run whose cancellation was accepted goes on");
    const job = await judgeJob(context, run, ended);
    if (before.outcome !== "served") return;
    judge(job, "*.records.agree", [before]).keeps(judgeSelfChanges([recordIn(before), recordIn(job)], "job"));
  },
});

export const settles = defineCase({
  id: "lifecycle/finished-job-of-a-run-stays-finished",
  says: "the job of an ended run stays in its final state",
  clauses: ["beta.runs.settle"],
  rpc: getJob.name,
  async run(context) {
    const { judge, call, setup, target } = context;
    const run = await startRun(context, "complete");
    const first = await judgeJob(context, run, runEnd(await follow(context, run), "complete"));
    const state = textAt(recordIn(first), "state");
    let last = first;
    await context.poll(async () => {
      last = await call(getJob, { ...first.request, requestId: setup.requestId() });
      return textAt(recordIn(last), "state") === state ? undefined : true;
    }, target.settings.patience.quietMs);
    judge(last, undefined, [first]).shows("job.state", state);
  },
});

export const listed = defineCase({
  id: "lifecycle/jobs-of-runs-are-listed",
  says: "ListJobs shows the job of every run of the user, in the state of the run",
  clauses: ["beta.jobs.agree", "beta.paging.traversal"],
  rpc: "beta.v1.PlatformService/ListJobs",
  async run(context) {
    const { setup, row, judge } = context;
    const scripts = endings.slice(0, 2).map(([script]) => script);
    const ended = await Promise.all(scripts.map(async (script) => settle(context, await startRun(context, script))));
    const [first] = ended;
    // Of a session the listing shows more than one.
    if (first !== undefined) ended.push(await settle(context, await startNext(context, "complete", first)));
    const runs = ended.filter((run) => !isDefault(run.record.jobId));
    if (runs.length === 0) throw new ChosenOtherwise("such runs have no jobs");
    for (const run of runs) {
      const find = async () => {
        const request = { ...(await setup.request(row, undefined)), ...run.within };
        const shown = (records: readonly JsonObject[]) => findRecord(records, row, run.record.jobId ?? null);
        const { records, replies } = await listAll(context, row, request, {}, (page) => shown(page) !== undefined);
        const record = shown(records);
        return { record, reply: pageNaming(replies, run.record.jobId) };
      };
      const isSame = (seen: Awaited<ReturnType<typeof find>>) => sameJson(seen.record?.state, run.record.state);
      const { record, reply } = await lookUntil(context, find, isSame);
      if (reply === undefined) return;
      const found = judge(reply, "*.paging.traversal").satisfies(
        record !== undefined,
        "the job of the run",
        "no page shows it",
        "jobs",
      );
      if (!found || record === undefined) continue;
      for (const [field, expected] of [
        ["state", run.record.state],
        ["runId", run.id],
      ] as const) {
        judge(reply, "*.jobs.agree").satisfies(
          sameJson(record[field], expected),
          `${showJson(expected)}, as of the run`,
          showJson(record[field]),
          `jobs[].${field}`,
        );
      }
    }
  },
});
