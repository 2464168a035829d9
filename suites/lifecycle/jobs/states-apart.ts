import { defineCase } from "../../../harness/case/case.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { enumFilterOf } from "../../../harness/setup/required-state.ts";
import { settle, untilRunning } from "../../../harness/setup/work.ts";
import { judgePages } from "./listing.ts";

export const statesApart = defineCase({
  id: "lifecycle/jobs-are-listed-by-no-state-but-their-own",
  says: "ListJobs by each state shows no job in another, while one goes on, one has failed, one has succeeded and one has at its second attempt",
  clauses: ["alpha.filters.hold"],
  rpc: "alpha.v1.JobService/ListJobs",
  async run(context) {
    const [_unspecified, ...states] = enumFilterOf(context.row)?.field.enum?.values.map(({ name }) => name) ?? [];
    // What failed at first is not what failed in the end. It takes an input of its own.
    const retried = context.target.alpha.fixtureInputs.retry === undefined ? [] : (["retry"] as const);
    const [running] = await Promise.all([
      startJob(context, "slow").then((job) => untilRunning(context, job, "alpha.fixtureInputs.slow")),
      ...(["fail", "succeed", ...retried] as const).map(async (script) =>
        settle(context, await startJob(context, script)),
      ),
    ]);
    await Promise.all(states.map((state) => judgePages(context, { filter: { state }, shown: running })));
  },
});
