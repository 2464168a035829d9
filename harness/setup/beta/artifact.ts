import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Resource } from "../package.ts";
import { listRecords } from "../read.ts";
import { subjectFrom } from "../subject.ts";
import { inTime, settle } from "../work.ts";
import { withJob } from "./job.ts";
import { startRun } from "./run.ts";

const list = rpc("beta.v1.PlatformService/ListArtifacts");

/** What cases wait for. */
export const artifactsOfRun = "artifacts of a run";

/** The artifacts of a run that makes some, one at least; else the case is unproven. */
async function createArtifacts(context: CaseContext): Promise<readonly [Subject, ...Subject[]]> {
  const finished = await withJob(context, await settle(context, await startRun(context, "artifact")));
  const within = { ...finished.within, jobId: finished.record.jobId ?? null };
  const records = await inTime(context, artifactsOfRun, async () => {
    const listed = await listRecords(context, list, within);
    return listed.length > 0 ? listed : undefined;
  });
  const [first, ...others] = (records ?? []).map((record) => subjectFrom(list, record, { within, shownBy: list.name }));
  if (first === undefined) throw new Unproven("needs an artifact; beta.inputs.artifact made none");
  return [first, ...others];
}

/** Artifacts: what runs leave. */
export const artifact: Resource = {
  create: async (context) => (await createArtifacts(context))[0],
  createMany: createArtifacts,
};
