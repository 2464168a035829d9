import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { decide, runAwaitingApproval } from "./decisions.ts";

const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

const approved = "APPROVAL_STATE_APPROVED";

/** What is sent in the place of a decision and is none, by what it is called. */
const none: readonly (readonly [what: string, sent: JsonObject])[] = [
  ["no decision", {}],
  ["a decision of number 7, which is not declared", { decision: 7 }],
];

export const noDecision = defineCase({
  id: "lifecycle/without-a-decision-nothing-is-approved",
  says: "a DecideApproval without a decision, or with one that is none, approves nothing",
  clauses: ["beta.approvals.decision", "beta.open.field-constraints"],
  rpc: decideApproval.name,
  async run(context) {
    const { setup, call, judge, needs, observe } = context;
    const { approval } = await runAwaitingApproval(context);
    for (const [what, sent] of none) {
      const { decision: _, ...request }: JsonObject = await setup.request(decideApproval, approval);
      const reply = await call(decideApproval, { ...request, ...sent });
      const read = await setup.read(approval);
      const state = textAt(recordIn(read), "state");
      judge(reply, undefined, [read]).satisfies(
        state !== approved,
        `an approval that is not ${approved}: ${what} was sent`,
        read.outcome === "served" ? showJson(state) : describeReply(read),
        "approval.state",
      );
      // What else is done where nothing is decided is open: it may count as a rejection.
      observe("*.open.field-constraints", `DecideApproval with ${what} is ${reply.outcome}, and leaves ${state}`);
      if (reply.outcome === "served" && state !== "APPROVAL_STATE_PENDING") return;
    }
    // The positive control: one whose time is over, or whose run has ended, would not be approved anyway.
    needs(await decide(context, approval, "APPROVAL_DECISION_APPROVE"));
  },
});
