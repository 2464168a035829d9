import { defineCase } from "../../../harness/case/case.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { requireJobsCanceled, startJob } from "../../../harness/setup/alpha/job.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { textAt } from "../../../harness/wire/json.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { cancelJob } from "../../common/cancel-job.ts";
import { judgePages, judgeShown } from "./listing.ts";

/** States that a canceled job may have been in. */
const earlier = ["JOB_STATE_QUEUED", "JOB_STATE_RUNNING", "JOB_STATE_CANCELING"];

export const canceledJobs = defineCase({
  id: "lifecycle/canceled-job-is-listed-by-its-state",
  says: "ListJobs shows a canceled job by the state it ended in and by its mini app, and by no state that it was in before, nor as running while it is being canceled",
  clauses: ["alpha.filters.complete", "alpha.filters.hold"],
  rpc: "alpha.v1.JobService/ListJobs",
  async run(context) {
    await requireJobsCanceled(context);
    const job = await startJob(context, "slow");
    await cancelJob(context, job);
    // While it is being canceled it is not running, as it shows itself. What is over by then is not listed so either.
    await judgePages(context, { filter: { state: "JOB_STATE_RUNNING" }, shown: job });
    const last = (await follow(context, job)).at(-1);
    const record = last === undefined ? {} : recordIn(last);
    if (!isOver(record)) throw new Unproven("needs a job that ends once it is canceled");
    const shown = { ...job, record };
    await Promise.all([
      judgeShown(context, { state: textAt(record, "state") }, [shown]),
      // Who asks for no state asks for all of them.
      judgeShown(context, { miniAppId: textAt(record, "miniAppId") }, [shown]),
      ...earlier.map((state) => judgePages(context, { filter: { state }, shown })),
    ]);
  },
});
