import { defineRule } from "../../harness/case/case.ts";
import { isSignedBy, recogniseSignature } from "../../harness/oracles/signature.ts";
import { callOnEndpoint, createEndpoint, enable } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change } from "../../proto/rpcs.ts";
import { nextDelivery } from "./signatures.ts";

export const otherSignatures = defineRule({
  id: "events/secret-of-one-endpoint-signs-for-no-other",
  says: "where a delivery shows how it is signed, an endpoint's own secret goes on to sign once another endpoint was created and its secret rotated",
  clauses: ["*.webhooks.signed"],
  rows: ({ subject, change }) => subject === "webhook_endpoint" && change === Change.ROTATES,
  async run(context) {
    const { run, needs, judge } = context;
    const hook = await openHook(context);
    const { endpoint: made, secret } = await createEndpoint(context, hook.url);
    const endpoint = await enable(context, made);
    const before = await nextDelivery(context, hook, endpoint);
    const scheme = recogniseSignature(before.request, secret);
    // How a delivery is signed is open (docs/contract/readings.md#24).
    if (scheme === undefined) throw new ChosenOtherwise("deliveries are not signed in a way that is widely used");
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
