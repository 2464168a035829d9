import { defineCase } from "../../harness/case/case.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isRefusedForState } from "../../harness/wire/reply.ts";
import { judgeFirst, judgeOnce } from "./plaintext.ts";

export const whileDisabled = defineCase({
  id: "secrecy/rotation-while-disabled-returns-the-plaintext-once",
  says: "the rotation of the secret of a disabled endpoint returns it, and no replay does",
  clauses: ["beta.credentials.once", "beta.credentials.first"],
  rpc: "beta.v1.WebhookService/RotateWebhookSecret",
  async run(context) {
    const { row, setup, call } = context;
    const request = await setup.request(row, await setup.fresh("webhook_endpoint:disabled"));
    const first = await call(row, request);
    // Which states permit it is not shown.
    if (isRefusedForState(first)) throw new ChosenOtherwise("the secret of a disabled endpoint is not rotated");
    judgeFirst(context, first);
    judgeOnce(context, [first, await call(row, request), await call(row, request)]);
  },
});
