import { defineCase } from "../../../harness/case/case.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { settle } from "../../../harness/setup/work.ts";
import { judgeLateCancellation } from "../../common/late-cancellation.ts";

export const tooLate = defineCase({
  id: "lifecycle/finished-job-is-not-canceled",
  says: "canceling a job that has succeeded leaves it succeeded, and at its version where it is refused; it is not served at another version",
  clauses: ["alpha.jobs.settle", "alpha.versioning.refused-keep", "alpha.versioning.expected"],
  rpc: "alpha.v1.JobService/CancelJob",
  async run(context) {
    const job = await settle(context, await startJob(context, "succeed"));
    await judgeLateCancellation(context, job, "finished job");
  },
});
