import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt } from "../../harness/wire/json.ts";
import { endedJobs } from "../lifecycle/jobs/ended-jobs.ts";

export const resultScopes = defineRule({
  id: "auth/scope-of-the-row-alone-serves-results-of-jobs",
  says: "a key with the scope of the row and no other is served a job's result artifact, as one with every scope is",
  clauses: ["*.auth.scope"],
  rows: rowsNamed("alpha.v1.ArtifactService/CreateArtifactDownload", "alpha.v1.ArtifactService/GetArtifact"),
  async run(context) {
    const { row, setup, call, judge } = context;
    const as = await setup.keyWithScope(row);
    const [artifactId] = (await endedJobs(context)).flatMap(({ record }) => listAt(record, "resultArtifactIds"));
    if (artifactId === undefined) throw new Unproven("needs a job with result artifacts");
    const request = { ...(await setup.request(row, undefined)), artifactId };
    const ask = (options: { as?: typeof as }) => call(row, { ...request, ...freshRequestId(row, setup) }, options);
    const before = await ask({});
    const narrow = await ask({ as });
    const after = await ask({});
    // How long a result is kept is not shown: it has to be there before and after.
    if (before.outcome !== "served" || after.outcome !== "served")
      throw new ChosenOtherwise("the results of jobs are not served for long enough");
    judge(narrow, undefined, [before]).isServed();
  },
});
