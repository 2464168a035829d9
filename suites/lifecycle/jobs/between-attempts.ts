import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { messageOf } from "../../../proto/resources.ts";
import { isReadOnly, rpc } from "../../../proto/rpcs.ts";
import type { Shown } from "./ended-jobs.ts";

const listJobs = rpc("alpha.v1.JobService/ListJobs");
const watchJob = rpc("alpha.v1.JobService/WatchJob");

/** How many jobs are waited for until one stands still while it is looked at. */
const maxJobs = 3;

/** How long a watch may take to show the job, in milliseconds. */
const watchMs = 1000;

/** The job as a listing shows it; undefined where no page does. */
async function listed(context: CaseContext, job: Subject): Promise<Shown | undefined> {
  const isOn = (page: Parameters<typeof findRecord>[0]) => findRecord(page, listJobs, job.id) !== undefined;
  const { records, replies } = await listAll(context, listJobs, context.setup.tenant(), { baseUrl: job.baseUrl }, isOn);
  const record = findRecord(records, listJobs, job.id);
  const page = replies.find((reply) => recordsIn(reply).some((one) => one.record === record));
  return record && page && { reply: page, record, at: "jobs[]" };
}

/** The job as a watch shows it first; undefined where it does not soon. */
async function watched({ setup, call }: CaseContext, job: Subject): Promise<Shown | undefined> {
  const reply = await call(watchJob, await setup.request(watchJob, job), {
    baseUrl: job.baseUrl,
    enough: (messages) => messages.some(({ json }) => isObject(json.job)),
    listenMs: watchMs,
  });
  const record = reply.messages.map(({ json }) => json.job).find(isObject);
  return record && { reply, record, at: "job" };
}

/** A job between two attempts as each RPC shows it; undefined where it was not there any more in the end. */
async function lookAtAll(context: CaseContext): Promise<readonly Shown[] | undefined> {
  const { setup } = context;
  const job = await setup.fresh("job:between-attempts");
  const read = async (): Promise<Reply> => setup.read(job);
  const [first, ...others] = await Promise.all([read(), listed(context, job), watched(context, job)]);
  // What is the same before and after was no other between.
  const last = await read();
  const isStill =
    [first, last].every(({ outcome }) => outcome === "served") && sameJson(recordIn(first), recordIn(last));
  if (!isStill || versionOf(recordIn(first)) !== job.version) return undefined;
  return [{ reply: first, record: recordIn(first), at: "job" }, ...others.filter((one) => one !== undefined)];
}

export const betweenAttempts = defineRule({
  id: "lifecycle/job-between-attempts-is-consistent-across-rpcs",
  says: "every RPC that shows a job which waits for its next attempt shows the same of it at one version",
  waits: true,
  clauses: ["alpha.records.agree", "alpha.versioning.carried"],
  rows: (row) => row.subject === "job" && isReadOnly(row) && messageOf(row) !== undefined,
  async run(context) {
    const { row, judge } = context;
    const message = messageOf(row);
    if (message === undefined) return;
    for (let tried = 0; tried < maxJobs; tried += 1) {
      const all = await lookAtAll(context);
      const own = all?.find(({ reply }) => reply.row === row);
      if (all === undefined || own === undefined) continue;
      const asSeen = ({ reply, record }: Shown) => ({ source: reply.row.method, record, settled: true });
      const others = all.filter((one) => one !== own && versionOf(one.record) === versionOf(own.record));
      if (others.length === 0) continue;
      judge(own.reply).keeps(judgeAgreement(message, asSeen(own), others.map(asSeen), new Set(), own.at));
      return;
    }
    throw new ChosenOtherwise("no job stands still between two attempts for as long as it is looked at");
  },
});
