import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { versionNumber } from "../../harness/oracles/watch.ts";
import { type Watched, watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { showJson } from "../../harness/wire/json.ts";
import { untilServed } from "../common/current-call.ts";
import { lastOf } from "./run-events.ts";

/** The largest version there can be. */
const largest = 2n ** 63n - 1n;

/** Judges that a watch showed no job of a version before the one it was asked to begin after. */
function judgeAfter({ judge }: CaseContext, watched: Watched, after: bigint): void {
  const older = watched.jobs.find((one) => (versionNumber(one.resourceVersion) ?? 0n) < after);
  judge(lastOf(watched)).satisfies(
    older === undefined,
    `nothing older than ${after}`,
    `version ${showJson(older?.resourceVersion)}`,
  );
}

export const future = defineCase({
  id: "stream/watch-after-a-future-version-is-observed",
  says: "a watch after a version that its job has not reached is refused, or shows nothing older",
  clauses: ["alpha.watch.not-older", "alpha.open.future-watch"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const { row, setup, call, judge, observe, target } = context;
    const { quietMs } = target.settings.patience;
    // Of a job that goes on, so that heartbeats come one after the other where the target sends them.
    const job = await setup.fresh("job:running");
    // The positive control: the same watch from the beginning.
    const usual = { ...setup.tenant(), jobId: job.id };
    judge(await call(row, usual, { baseUrl: job.baseUrl, ...untilServed(row) }), "*.endpoints.served").isServed();
    const near = (versionNumber(job.version) ?? 0n) + (1n << 40n);
    const [watched, last] = await Promise.all(
      [near, largest].map((after) => watchJob(context, job, String(after), quietMs)),
    );
    if (watched === undefined || last === undefined) return;
    judgeAfter(context, watched, near);
    judgeAfter(context, last, largest);
    const reply = lastOf(watched);
    const shows =
      reply.outcome === "refused"
        ? "is refused"
        : watched.jobs.length === 0
          ? "shows no job"
          : "shows the job as it is";
    observe("*.open.future-watch", `a watch after a version its job has not reached ${shows}`);
  },
});
