import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { isDefault, objectAt, sameJson } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { listRecords } from "../read.ts";
import { subjectFrom } from "../subject.ts";
import { settle } from "../work.ts";
import { startRun } from "./run.ts";

const readRow = rpc("beta.v1.PlatformService/GetJob");
const listRow = rpc("beta.v1.PlatformService/ListJobs");

/** The job of a run, as it is read; else the case is unproven. */
export async function jobOf({ call, needs, setup }: CaseContext, finished: Subject): Promise<Subject> {
  const request = {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...finished.within,
    jobId: finished.record.jobId ?? null,
  };
  const record = objectAt(needs(await call(readRow, request)), "job");
  return subjectFrom(readRow, record, { shownBy: readRow.name, ...(finished.within && { within: finished.within }) });
}

/** A run with the id of its job, which is looked for among the jobs where the run's record leaves it out. */
export async function withJob(context: CaseContext, run: Subject): Promise<Subject> {
  if (!isDefault(run.record.jobId)) return run;
  const jobs = await listRecords(context, listRow, { requestId: context.setup.requestId(), ...run.within });
  const own = jobs.find(({ runId }) => sameJson(runId, run.id));
  return own === undefined ? run : { ...run, record: { ...run.record, jobId: own.jobId ?? null } };
}

/** A finished run that names its job: that every run has one is not shown, and one that leaves artifacts is tried, too. */
async function runWithJob(context: CaseContext): Promise<Subject> {
  const plain = await withJob(context, await context.setup.fresh("run"));
  if (!isDefault(plain.record.jobId)) return plain;
  const leaving = await withJob(context, await settle(context, await startRun(context, "artifact")));
  if (!isDefault(leaving.record.jobId)) return leaving;
  throw new Unproven("needs a run that names its job; neither a run that succeeds nor one that leaves an artifact did");
}

/** Jobs: of runs. */
export const job: Resource = {
  create: async (context) => jobOf(context, await runWithJob(context)),
};
