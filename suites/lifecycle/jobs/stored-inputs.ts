import { defineCase } from "../../../harness/case/case.ts";
import { findRecord, listAll, recordIn } from "../../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { rpc } from "../../../proto/rpcs.ts";

const [getJob, listJobs] = [rpc("alpha.v1.JobService/GetJob"), rpc("alpha.v1.JobService/ListJobs")];

export const stored = defineCase({
  id: "lifecycle/fixture-job-stores-its-inputs",
  says: "the inputs of a started job are stored: a read or a listing shows them",
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
  },
});
