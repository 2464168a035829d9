import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { declared } from "../../harness/setup/alpha/upload.ts";
import { isEndedUnwatched } from "../../harness/setup/ended-watches.ts";
import { subjectFrom } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, textAt } from "../../harness/wire/json.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { endedJobs } from "../lifecycle/jobs/ended-jobs.ts";

const getArtifact = rpc("alpha.v1.ArtifactService/GetArtifact");

/** RPCs that show one job or artifact, or give what is in it, or show an endpoint. */
const shows = (row: RpcRow) => showsWork(row) || (row.effect === Effect.READ && row.subject === "webhook_endpoint");

const showsWork = (row: RpcRow) =>
  row.package === "alpha.v1" &&
  (row.effect === Effect.READ || row.effect === Effect.WATCH || row.method === "CreateArtifactDownload") &&
  (row.subject === "job" || row.subject === "artifact");

/** Records of the workspace that the target makes, or that go on, by what is said of them. */
async function records(context: CaseContext): Promise<readonly (readonly [what: string, record: Subject])[]> {
  const { row, setup } = context;
  if (row.subject === "webhook_endpoint")
    return [["a disabled endpoint", await setup.fresh(`${row.subject}:disabled`)]];
  const ended = await endedJobs(context);
  if (row.subject === "artifact") {
    const results = ended.flatMap(({ record }) => listAt(record, "resultArtifactIds"));
    const made = results.map((id) => ["the result of a job", subjectFrom(getArtifact, { id })] as const);
    // What is in it can be fetched only once it is there.
    if (!row.readsRecord) return made;
    const { artifact } = await declared(context, randomContent(context));
    return [...made, ["an artifact that awaits its content", artifact]];
  }
  // Whether a job can be canceled, and ends by it, is for the cases of cancellations.
  const canceled = await orUndefined(setup.fresh("job:canceled"));
  const over = [...ended, ...(canceled ? [canceled] : [])].map(
    (job) => [`a job that ended as ${textAt(job.record, "state")}`, job] as const,
  );
  const goesOn = await startJob(context, "slow");
  // The last that is made and the first that is asked for, as it soon goes on.
  const between = await orUndefined(setup.fresh("job:between-attempts"));
  return [
    ...(between ? [["a job that waits for another attempt", between] as const] : []),
    ...over,
    ["a job that goes on", goesOn],
  ];
}

export const stages = defineRule({
  id: "isolation/jobs-and-results-of-another-workspace-are-refused",
  says: "a job that goes on, waits for another attempt, failed, succeeded or was canceled, what a job results in, what awaits its content, and a disabled endpoint, are not shown to another workspace",
  clauses: ["*.isolation.read", "*.isolation.stream"],
  rows: shows,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    for (const [what, record] of await records(context)) {
      const options = { baseUrl: setup.baseUrl(row, record), ...untilServed(row) };
      // The positive control: in its own workspace it is shown.
      const shown = await call(row, await setup.request(row, record), options);
      if (await isEndedUnwatched(context, shown)) continue;
      needs(shown);
      const elsewhere = { ...(await setup.request(row, record)), ...tenant };
      const refused = await call(row, elsewhere, { ...options, as: key });
      judge(refused, row.effect === Effect.WATCH ? "*.isolation.stream" : "*.isolation.read", [shown]).isRefused({
        because: `its ${subjectFieldOf(row)} names ${what} of another workspace`,
      });
    }
  },
});
