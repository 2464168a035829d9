import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { cancelRun } from "../../../harness/setup/beta/run.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import { listSteadily } from "../../common/steady-listing.ts";
import { decide, runAwaitingApproval } from "./decisions.ts";

/** An approval, and the state its decision brought it into. */
interface Decided {
  readonly approval: Subject;
  readonly state: string;
}

async function makeDecided(context: CaseContext, decision: "APPROVE" | "REJECT", state: string): Promise<Decided> {
  const { approval } = await runAwaitingApproval(context);
  context.needs(await decide(context, approval, `APPROVAL_DECISION_${decision}`));
  return { approval, state: `APPROVAL_STATE_${state}` };
}

/** Makes an approval that nobody can decide any more: its run is canceled. */
async function makeWithdrawn(context: CaseContext): Promise<void> {
  const { run } = await runAwaitingApproval(context);
  if ((await cancelRun(context, run)) !== undefined) await settle(context, run);
}

const states = ["APPROVED", "REJECTED", "EXPIRED", "CANCELED", "PENDING"] as const;

export const decidedByState = defineCase({
  id: "lifecycle/decided-approvals-are-listed-by-their-state",
  says: "of one approval that was approved and one that was rejected, a listing by either state shows the one and not the other, and by any other state neither; nor does one of the pending show what was canceled",
  clauses: ["beta.filters.hold", "beta.filters.complete"],
  rpc: "beta.v1.ApprovalService/ListApprovals",
  async run(context) {
    const { row, setup, judge } = context;
    const approved = await makeDecided(context, "APPROVE", "APPROVED");
    const rejected = await makeDecided(context, "REJECT", "REJECTED");
    // Which runs can be canceled is not shown.
    await orUndefined(makeWithdrawn(context));
    for (const short of states) {
      const state = `APPROVAL_STATE_${short}`;
      const own = [approved, rejected].find((one) => one.state === state)?.approval;
      const request = { ...setup.tenant(), ...approved.approval.within, state };
      const isOdd = (one: JsonObject) => textAt(one, "state") !== state;
      const wanted = own === undefined ? [] : [own];
      const { records, replies, unfit, complete } = await listSteadily(context, request, isOdd, wanted);
      const [last, ...others] = replies.toReversed();
      if (last === undefined) continue;
      judge(last, "beta.filters.hold", others).satisfies(
        unfit === undefined,
        `${state} only`,
        showJson(unfit ?? null),
        "approvals[].state",
      );
      if (own === undefined || complete) continue;
      // What becomes of a decided approval once its run is over is not shown.
      const read = await setup.read(own);
      judge(last, "beta.filters.complete", [...others, read]).satisfies(
        textAt(recordIn(read), "state") !== state,
        `the approval that is ${state}`,
        `${records.length} records on ${replies.length} pages, and not ${showJson(own.id)} (${row.method})`,
      );
    }
  },
});
