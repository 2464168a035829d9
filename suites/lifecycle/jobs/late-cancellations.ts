import { defineCase } from "../../../harness/case/case.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { judgeUnmoved } from "../../common/unmoved-version.ts";

export const tooLate = defineCase({
  id: "lifecycle/finished-job-is-not-canceled",
  says: "canceling a job that has succeeded leaves it succeeded, and at its version where it is refused",
  clauses: ["alpha.jobs.settle", "alpha.versioning.refused-keep"],
  rpc: "alpha.v1.JobService/CancelJob",
  async run(context) {
    const { setup, call, row, judge, observe } = context;
    const job = await settle(context, await startJob(context, "succeed"));
    const reply = await call(row, await setup.request(row, job), { baseUrl: setup.baseUrl(row, job) });
    observe("*.open.transitions", `canceling a finished job is ${reply.outcome}`);
    const read = await setup.read(job);
    judge(reply, undefined, [read]).satisfies(
      sameJson(recordIn(read).state, job.record.state),
      `a job that is still ${textAt(job.record, "state")}`,
      read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read),
      "job.state",
    );
    await judgeUnmoved(context, job, reply, read);
  },
});
