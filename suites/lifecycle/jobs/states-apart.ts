import { defineCase } from "../../../harness/case/case.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { enumFilterOf } from "../../../harness/setup/required-state.ts";
import { settle, untilRunning } from "../../../harness/setup/work.ts";
import { judgePages } from "./listing.ts";

export const statesApart = defineCase({
  id: "lifecycle/jobs-are-listed-by-no-state-but-their-own",
  says: "ListJobs by each state shows no job in another, while one goes on, one has failed and one has succeeded",
  clauses: ["alpha.filters.hold"],
  rpc: "alpha.v1.JobService/ListJobs",
  async run(context) {
    const [_unspecified, ...states] = enumFilterOf(context.row)?.field.enum?.values.map(({ name }) => name) ?? [];
    const [running] = await Promise.all([
      startJob(context, "slow").then((job) => untilRunning(context, job, "alpha.fixtureInputs.slow")),
      ...(["fail", "succeed"] as const).map(async (script) => settle(context, await startJob(context, script))),
    ]);
    await Promise.all(states.map((state) => judgePages(context, { filter: { state }, shown: running })));
  },
});
