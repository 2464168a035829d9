import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint, enable, hearing } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { CredentialKind, Effect } from "../../proto/rpcs.ts";

/** Creates an enabled endpoint at a url with a kind of credential. */
async function createAs(
  context: CaseContext,
  kind: CredentialKind,
  url: string,
): Promise<{ readonly reply: Reply; readonly endpoint: Subject }> {
  const { row, setup, call, needs } = context;
  const as = await setup.credentialOfKind(kind, row);
  const reply = await call(row, await setup.request(row, undefined, { url, ...hearing(context) }), { as });
  needs(reply);
  return { reply, endpoint: await enable(context, setup.subjectIn(reply)) };
}

export const otherCreators = defineRule({
  id: "events/endpoints-made-with-another-credential-kind-get-deliveries",
  says: "an endpoint gets deliveries, whichever of the kinds of credential that may make one it was made with",
  clauses: ["*.webhooks.delivered"],
  rows: (row) => row.subject === "webhook_endpoint" && row.effect === Effect.CREATE && row.credentials.length > 1,
  async run(context) {
    const { row, judge } = context;
    for (const kind of row.credentials.slice(1)) {
      const [hook, usual] = await Promise.all([openHook(context), openHook(context)]);
      const { reply, endpoint } = await createAs(context, kind, hook.url);
      const control = await createEnabledEndpoint(context, usual.url);
      const work = await finishedWork(context);
      const isDelivered = await untilDelivered(context, hook, endpoint, work);
      // The positive control: one that was made as usual gets it.
      if (!isDelivered && !(await untilDelivered(context, usual, control, work)))
        throw new Unproven("needs a delivery of finished work to an endpoint, which none got");
      judge(reply).satisfies(
        isDelivered,
        `a delivery of finished work to an endpoint that was made with a ${CredentialKind[kind]}`,
        `it got none, and one that was made with a ${CredentialKind[row.credentials[0] ?? 0]} did`,
      );
    }
  },
});
