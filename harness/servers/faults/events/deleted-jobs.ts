import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** The deliveries about a job name none once it is deleted. */
const unlinked: AlphaDecoration = {
  handlers: around(JobService.method.deleteJob, (next) => async (context, request) => {
    const { world, workspaceId } = context;
    const reply = await next(context, request);
    for (const { record } of world.tables.webhook_delivery.entries(workspaceId))
      if (idText(record.jobId) === idText(request.jobId))
        world.tables.webhook_delivery.put({ ...record, jobId: undefined });
    return reply;
  }),
};

export const deletedJobs: readonly Fault[] = faultsOf("events", "alpha.v1", {
  "*.webhooks.records": {
    "ListWebhookDeliveries-no-job-once-it-is-deleted": ["deliveries name no job once theirs is deleted", unlinked],
  },
});
