import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { NotExercised } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const [getJob, listJobs] = [rpc("alpha.v1.JobService/GetJob"), rpc("alpha.v1.JobService/ListJobs")];

/** The inputs that a job shows which was tried again; undefined where the target file names no input for one. */
async function afterRetry(context: CaseContext, inputArtifactIds: readonly JsonValue[]): Promise<Reply | undefined> {
  try {
    const job = await settle(context, await startJob(context, "retry", { inputArtifactIds: [...inputArtifactIds] }));
    return await context.setup.read(job);
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

/** Starts a job with these inputs and judges that it shows each of them. How many a job has at most is its mini app's to say. */
export async function judgeKept(
  context: CaseContext,
  inputArtifactIds: JsonValue[],
  clause?: string,
  besides?: JsonObject,
): Promise<void> {
  const { row, setup, call, judge, needs } = context;
  const started = await call(row, { ...(await setup.request(row, undefined)), ...besides, inputArtifactIds });
  if (started.outcome === "refused") return;
  needs(started);
  const read = await setup.read({ ...setup.subjectIn(started), baseUrl: await setup.homeUrl(getJob) });
  needs(read);
  const shown = recordIn(read).inputArtifactIds ?? null;
  judge(started, clause, [read]).satisfies(
    sameJson(shown, inputArtifactIds),
    showJson(inputArtifactIds),
    showJson(shown),
    "job.inputArtifactIds",
  );
}

/** Judges three inputs, each its own, and with a secret beside them: whether one that is named twice counts twice is open. */
async function judgeThree(context: CaseContext, first: JsonValue): Promise<void> {
  const { setup } = context;
  const others = await Promise.all([setup.fresh("artifact"), setup.fresh("artifact")]);
  const three = [first, ...others.map(({ id }) => id)];
  await judgeKept(context, three);
  const { id } = await setup.shared("secret");
  await judgeKept(context, three, undefined, { secretIds: [id] });
}

export const stored = defineCase({
  id: "lifecycle/fixture-job-stores-its-inputs",
  says: "the inputs of a started job are stored: a read or a listing shows them, and a read of one that was tried again",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const inputArtifactIds = [(await setup.shared("artifact")).id];
    const started = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds });
    needs(started);
    const job = { ...setup.subjectIn(started), baseUrl: await setup.homeUrl(getJob) };
    const read = await setup.read(job);
    needs(read);
    const { records, replies } = await listAll(context, listJobs, setup.tenant(), { baseUrl: job.baseUrl });
    const shown = [recordIn(read), findRecord(records, listJobs, job.id) ?? {}].map(
      (one) => one.inputArtifactIds ?? null,
    );
    // Either one proves that they are stored; other cases judge the one that does not show them.
    judge(started, undefined, [read, ...replies.slice(-1)]).satisfies(
      shown.some((ids) => sameJson(ids, inputArtifactIds)),
      `a job that still shows ${showJson(inputArtifactIds)}`,
      showJson(shown),
      "job.inputArtifactIds",
    );
    await judgeThree(context, inputArtifactIds[0] ?? null);
    const retried = await afterRetry(context, inputArtifactIds);
    if (retried === undefined) return;
    const kept = recordIn(retried).inputArtifactIds ?? null;
    judge(started, undefined, [retried]).satisfies(
      sameJson(kept, inputArtifactIds),
      `${showJson(inputArtifactIds)} once the job was tried again, too`,
      showJson(kept),
      "job.inputArtifactIds",
    );
  },
});
