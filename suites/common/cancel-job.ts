import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";

/** Has a job canceled that goes on, at whatever version it has come to. */
export async function cancelJob({ setup, call, poll, target }: CaseContext, job: Subject): Promise<void> {
  await poll(async () => {
    const { version } = (await setup.current(job)) ?? job;
    const asked = { ...setup.tenant(), requestId: setup.requestId(), jobId: job.id, expectedResourceVersion: version };
    const reply = await call("alpha.v1.JobService/CancelJob", asked, { baseUrl: job.baseUrl });
    return reply.outcome === "served" ? true : undefined;
  }, target.settings.patience.settleMs);
}
