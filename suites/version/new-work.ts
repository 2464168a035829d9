import { defineRule } from "../../harness/case/case.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { Change } from "../../proto/rpcs.ts";

/** How much work is begun: some may have left its queue by the time that its cancellation comes. */
const works = 3;

export const newWork = defineRule({
  id: "version/new-work-is-canceled-at-its-version-only",
  says: "a cancellation at another version is refused as soon as a job or run was begun, too",
  clauses: ["*.versioning.expected"],
  rows: ({ change, expectedVersion }) => change === Change.CANCELS && expectedVersion !== undefined,
  async run(context) {
    const { row, setup, call, judge } = context;
    for (let begun = 0; begun < works; begun += 1) {
      const work = await (row.package === "alpha.v1" ? startJob(context, "slow") : startRun(context, "slow"));
      const { baseUrl } = work;
      // Far enough for the work not to come to it by itself.
      const version = String(farFrom(numericVersion(work)));
      const request = { ...(await setup.request(row, work)), [row.expectedVersion?.name ?? ""]: version };
      const because = `${version} is not the version of a ${work.kind} that was just begun at ${work.version}`;
      judge(await call(row, request, { baseUrl })).isRefused({ because });
      const now = await setup.current(work);
      // It need not go on any longer: whether it can be canceled is for other cases to say.
      if (now !== undefined) await call(row, await setup.request(row, now), { baseUrl });
    }
  },
});
