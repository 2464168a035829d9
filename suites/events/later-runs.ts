import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startNext, startRun } from "../../harness/setup/beta/run.ts";
import { settle } from "../../harness/setup/work.ts";
import { decide } from "../lifecycle/approvals/decisions.ts";
import { subscribe, untilDelivered } from "./event-types.ts";

const eventTypes = ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED", "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED"] as const;

/** What happened in a session, and the ids that its event may be about. */
interface Happened {
  readonly what: string;
  readonly about: readonly JsonValue[];
}

/** A run of the first one's session that succeeds. */
async function completeNext(context: CaseContext, first: Subject): Promise<Happened> {
  const run = await settle(context, await startNext(context, "complete", first));
  return { what: "the second run of its session that succeeded", about: [run.id, run.record.jobId ?? null] };
}

/** A run of the first one's session that asks for an approval, which is rejected. */
async function rejectNext(context: CaseContext, first: Subject, what: string): Promise<Happened> {
  const run = await startNext(context, "approval", first);
  const approval = await awaitApproval(context, run);
  context.needs(await decide(context, approval, "APPROVAL_DECISION_REJECT"));
  await settle(context, run);
  return { what, about: [approval.id, run.id, run.record.jobId ?? null] };
}

/** What happens in the session of a run once that has ended, as far as the target file has inputs for it. */
async function happenLater(context: CaseContext, first: Subject): Promise<readonly Happened[]> {
  const later = [await completeNext(context, first)];
  if (context.target.beta.inputs.approval === undefined) return later;
  for (const what of ["the first approval of its session", "the second approval of its session"]) {
    // Who was asked once need not be asked again.
    const asked = await orUndefined(rejectNext(context, first, what));
    if (asked !== undefined) later.push(asked);
  }
  return later;
}

export const laterRuns = defineCase({
  id: "events/later-runs-of-a-session-are-delivered",
  says: "an endpoint hears of the later runs of a session, and of each approval that they ask for",
  clauses: ["beta.webhooks.delivered"],
  rpc: "beta.v1.WebhookService/CreateWebhookEndpoint",
  async run(context) {
    const { judge } = context;
    const subscriber = await subscribe(context, eventTypes);
    const first = await settle(context, await startRun(context, "complete"));
    for (const { what, about } of await happenLater(context, first)) {
      const { record, reply, records } = await untilDelivered(context, subscriber, about);
      const told = judge(subscriber.created, undefined, reply === undefined ? [] : [reply]).satisfies(
        record !== undefined,
        `a delivery about ${what}`,
        `${records.length} deliveries, none about it`,
      );
      if (!told) return;
    }
  },
});
