import { defineCase } from "../../harness/case/case.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { idsOf, mentions, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { follow, untilRunning } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { cancelJob } from "../common/cancel-job.ts";
import { listen } from "./listener.ts";

export const disabledMeanwhile = defineCase({
  id: "events/endpoint-disabled-while-a-job-goes-on-receives-nothing",
  says: "an endpoint that is disabled while a job goes on hears nothing of the job's end, of which another endpoint hears",
  clauses: ["alpha.webhooks.disabled"],
  rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    const { judge, needs, poll, target } = context;
    const { quietMs } = target.settings.patience;
    await requireJobsCanceled(context);
    const [silenced, control] = await Promise.all([listen(context), listen(context)]);
    const job = await untilRunning(context, await startJob(context, "slow"), "alpha.fixtureInputs.slow");
    const about = [textAt(job.id, "value")];
    // Its start may be told of, too: that comes first.
    await poll(async () => (silenced.hook.delivered.some((one) => mentions(one, about)) ? true : undefined), quietMs);
    const off = await updateEndpoint(context, silenced.endpoint, { enabled: false });
    needs(off);
    const before = silenced.hook.delivered.length;
    await cancelJob(context, job);
    await follow(context, job);
    // Of which ends of jobs an endpoint hears is not shown.
    if (!(await untilDelivered(context, control.hook, control.endpoint, job)))
      throw new ChosenOtherwise("no delivery tells of a job that was canceled");
    const found = await deliveryOf(context, control.endpoint, job);
    const ids = [...about, ...(found === undefined ? [] : idsOf(context, found.record))];
    const came = () => silenced.hook.delivered.slice(before).filter((one) => mentions(one, ids)).length;
    await poll(async () => (came() > 0 ? true : undefined), quietMs);
    judge(off).satisfies(
      came() === 0,
      "no delivery about a job that ended once the endpoint was disabled",
      `${came()} came`,
    );
  },
});
