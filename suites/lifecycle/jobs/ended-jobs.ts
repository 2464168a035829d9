import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { type JobScript, readResult, requireJobsCanceled, startJob } from "../../../harness/setup/alpha/job.ts";
import { watchJob } from "../../../harness/setup/alpha/job-stream.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { messageOf } from "../../../proto/resources.ts";
import { isReadOnly, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { callCurrent } from "../../common/current-call.ts";
import { judgeShown } from "./listing.ts";

const getJob = rpc("alpha.v1.JobService/GetJob");
const listJobs = rpc("alpha.v1.JobService/ListJobs");

/** A job or an artifact as one RPC showed it. */
export interface Shown {
  readonly reply: Reply;
  readonly record: JsonObject;
  readonly at: string;
}

/** Starts a job, and waits for its end, and for what it results in to be shown; that it is not is for the cases of artifacts to judge. */
async function runToEnd(context: CaseContext, script: JobScript, inputs: JsonObject): Promise<Subject> {
  const job = await settle(context, await startJob(context, script, inputs));
  for (const id of listAt(job.record, "resultArtifactIds")) await orUndefined(readResult(context, id));
  return job;
}

/**
 * Ended jobs with an error, inputs and results, and one that took a second attempt where the target has an input for that. Created
 * once per run, to be read only.
 */
export function endedJobs(context: CaseContext): Promise<readonly Subject[]> {
  return context.run.once(`alpha ended jobs of ${showJson(context.setup.tenant())}`, () =>
    context.shared(async (outer) => {
      const artifact = await outer.setup.shared("artifact");
      const inputs = { inputArtifactIds: [artifact.id] };
      const scripts: readonly JobScript[] = ["fail", "artifacts"];
      const jobs = await Promise.all([
        ...scripts.map((script) => runToEnd(outer, script, inputs)),
        orUndefined(runToEnd(outer, "retry", inputs)),
      ]);
      return jobs.filter((job) => job !== undefined);
    }),
  );
}

/** The job as it is read, listed and watched, by the name of the RPC. */
async function jobAsShown(context: CaseContext, job: Subject): Promise<ReadonlyMap<string, Shown>> {
  const { setup } = context;
  const { baseUrl } = job;
  const [read, listed, watched] = await Promise.all([
    setup.read(job),
    listAll(context, listJobs, setup.tenant(), { baseUrl }),
    watchJob(context, job, undefined),
  ]);
  const inList = findRecord(listed.records, listJobs, job.id);
  const page = listed.replies.find((reply) => recordsIn(reply).some(({ record }) => record === inList));
  const inWatch = watched.jobs.find(isOver);
  const last = watched.replies.at(-1);
  const shown: Shown[] = [
    { reply: read, record: recordIn(read), at: "job" },
    ...(inList && page ? [{ reply: page, record: inList, at: "jobs[]" }] : []),
    ...(inWatch && last ? [{ reply: last, record: inWatch, at: "job" }] : []),
  ];
  return new Map(shown.map((one) => [one.reply.row.name, one]));
}

/** Whether all that shows a job shows it at one version: a listing may lag. */
function isAtOneVersion(all: ReadonlyMap<string, Shown>): boolean {
  return new Set([...all.values()].map(({ record }) => versionOf(record))).size <= 1;
}

/**
 * Judges that a listing by state shows each of the ended jobs, and the same of it as a read: what a job has an error, inputs or
 * results of may be looked up, and lose it, where a state is asked for.
 */
async function judgeByState(
  context: CaseContext,
  message: DescMessage,
  reads: ReadonlyMap<Subject, JsonObject>,
): Promise<void> {
  const { judge } = context;
  for (const [state, jobs] of Map.groupBy(reads.keys(), (job) => textAt(job.record, "state"))) {
    const pages = await judgeShown(context, { state }, jobs);
    const listed = pages.flatMap((reply) => recordsIn(reply).map(({ record }) => ({ reply, record })));
    for (const job of jobs) {
      const read = reads.get(job) ?? {};
      const own = listed.find(({ record }) => sameJson(record.id, job.id));
      // It may be revised between two readings: only equal versions must be equal.
      if (own === undefined || versionOf(own.record) !== versionOf(read)) continue;
      const seen = { source: "ListJobs by state", record: own.record, settled: true };
      const before = { source: "GetJob", record: read, settled: true };
      judge(own.reply).keeps(judgeAgreement(message, seen, [before], new Set(), "jobs[]"));
    }
  }
}

/** Judges that every RPC that shows an ended job shows the same error, inputs and results. */
async function judgeConsistent(context: CaseContext): Promise<void> {
  const { row, judge, needs } = context;
  const message = messageOf(row);
  if (message === undefined) return;
  const reads = new Map<Subject, JsonObject>();
  for (const job of await endedJobs(context)) {
    const all = await lookUntil(context, () => jobAsShown(context, job), isAtOneVersion);
    reads.set(job, all.get(getJob.name)?.record ?? job.record);
    const own = all.get(row.name);
    if (own === undefined) continue;
    needs(own.reply);
    const asSeen = ({ reply, record }: Shown) => ({ source: reply.row.method, record, settled: true });
    const others = [...all.values()].filter((one) => one !== own).map(asSeen);
    const seen = asSeen(own);
    judge(own.reply).keeps(judgeAgreement(message, seen, others, new Set(), own.at));
  }
  if (row === listJobs) await judgeByState(context, message, reads);
}

export const consistent = defineRule({
  id: "lifecycle/ended-jobs-are-consistent-across-rpcs",
  says: "every RPC that shows an ended job shows the same error, inputs and results, and a listing by state shows each",
  clauses: ["alpha.records.agree", "alpha.versioning.carried", "alpha.filters.complete"],
  rows: (row) => row.subject === "job" && isReadOnly(row) && messageOf(row) !== undefined,
  run: (context) => inBothTenants(context, judgeConsistent),
});

/** An artifact as an RPC shows it, with the reply: a refusal, too; undefined where it is not listed. */
export async function showArtifact(
  context: CaseContext,
  row: RpcRow,
  artifactId: JsonValue,
): Promise<Shown | undefined> {
  const { setup, call } = context;
  if (row.list === undefined) {
    const reply = await call(row, { ...(await setup.request(row, undefined)), artifactId });
    return { reply, record: recordIn(reply), at: row.record?.name ?? "" };
  }
  const { records, replies } = await listAll(context, row, setup.tenant());
  const record = findRecord(records, row, artifactId);
  const page = replies.find((reply) => recordsIn(reply).some((one) => one.record === record));
  return record && page && { reply: page, record, at: `${row.list.name}[]` };
}

/** RPCs that show artifacts. */
export const showsArtifacts = (row: RpcRow): boolean =>
  row.subject === "artifact" && isReadOnly(row) && messageOf(row) !== undefined;

export const resultOwners = defineRule({
  id: "lifecycle/result-artifacts-name-their-job",
  says: "every RPC that shows a result artifact shows the job it belongs to",
  clauses: ["alpha.jobs.results"],
  rows: showsArtifacts,
  async run(context) {
    const { judge, needs } = context;
    const jobs = await endedJobs(context);
    const owner = jobs.find((job) => listAt(job.record, "resultArtifactIds").length > 0);
    const [artifactId] = listAt(owner?.record, "resultArtifactIds");
    if (owner === undefined || artifactId === undefined) throw new Unproven("needs a job with result artifacts");
    const shown = await context.poll(
      () => showArtifact(context, context.row, artifactId),
      context.target.settings.patience.settleMs,
    );
    // Which artifacts are listed is open (alpha.open.listed-artifacts); that uploads are is judged by the cases of listings.
    if (shown === undefined) throw new ChosenOtherwise("the results of jobs are not listed");
    needs(shown.reply);
    judge(shown.reply).satisfies(
      sameJson(shown.record.owningJobId, owner.id),
      `${showJson(owner.id)}, whose result it is`,
      showJson(shown.record.owningJobId),
      `${shown.at}.owningJobId`,
    );
  },
});

export const canceledWithInputs = defineCase({
  id: "lifecycle/canceled-job-keeps-its-inputs",
  says: "the reply to a cancellation shows the job with its inputs",
  clauses: ["alpha.records.agree"],
  rpc: "alpha.v1.JobService/CancelJob",
  async run(context) {
    const { setup, judge, needs } = context;
    await requireJobsCanceled(context);
    const inputs = [(await setup.shared("artifact")).id];
    const job = await startJob(context, "slow", { inputArtifactIds: inputs });
    const canceled = await callCurrent(context, job);
    needs(canceled);
    const shown = recordIn(canceled).inputArtifactIds;
    judge(canceled).satisfies(sameJson(shown, inputs), showJson(inputs), showJson(shown), "job.inputArtifactIds");
  },
});
