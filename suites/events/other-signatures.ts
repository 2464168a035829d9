import { defineRule } from "../../harness/case/case.ts";
import { isSignedBy } from "../../harness/oracles/signature.ts";
import { callOnEndpoint, createEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change } from "../../proto/rpcs.ts";
import { createSigned, nextDelivery } from "./signed-endpoint.ts";

export const otherSignatures = defineRule({
  id: "events/secret-of-one-endpoint-signs-for-no-other",
  says: "where a delivery shows how it is signed, an endpoint's own secret goes on to sign once another endpoint was created and its secret rotated",
  clauses: ["*.webhooks.signed"],
  rows: ({ subject, change }) => subject === "webhook_endpoint" && change === Change.ROTATES,
  async run(context) {
    const { run, needs, judge } = context;
    const { hook, endpoint, scheme, secret } = await createSigned(context);
    const elsewhere = await openHook(context);
    const { reply, endpoint: other, secret: first } = await createEndpoint(context, elsewhere.url);
    const judgeStillSigned = async (change: Reply, what: string, issued: string) => {
      const { request } = await nextDelivery(context, hook, endpoint);
      return judge(change).satisfies(
        isSignedBy(request, scheme, secret),
        `deliveries to an endpoint that are still signed with its own secret, once another endpoint was ${what}`,
        isSignedBy(request, scheme, issued) ? "they are signed with the other's secret" : "they are signed otherwise",
      );
    };
    if (!(await judgeStillSigned(reply, "created", first))) return;
    const rotated = await callOnEndpoint(context, other);
    const next = textAt(needs(rotated), "signingSecret");
    run.secrets.register(next, "a signing secret", "signing secret");
    await judgeStillSigned(rotated, "given another secret", next);
  },
});
