import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { rpc } from "../../proto/rpcs.ts";
import { fewAndMany } from "../common/page-sizes.ts";
import { listSteadily } from "../common/steady-listing.ts";

const decideApproval = rpc("beta.v1.ApprovalService/DecideApproval");

/** Three approvals in turn: pending, decided, pending, so that a decided one follows a pending one in either order. */
async function makeApprovals(context: CaseContext): Promise<readonly Subject[]> {
  const { setup, call, needs } = context;
  const approvals: Subject[] = [];
  for (let made = 0; made < 3; made += 1) {
    const approval = await awaitApproval(context, await startRun(context, "approval"));
    approvals.push(approval);
    if (made === 1) {
      needs(await call(decideApproval, await setup.request(decideApproval, approval)));
    }
  }
  return approvals;
}

const pending = "APPROVAL_STATE_PENDING";

export const approvalsByState = defineCase({
  id: "paging/state-filter-holds-on-every-page",
  says: "approvals listed by state, one per page or a hundred, are all of that state, and none is missing",
  clauses: ["beta.filters.hold", "beta.filters.complete"],
  rpc: "beta.v1.ApprovalService/ListApprovals",
  async run(context) {
    const { setup, judge } = context;
    const [first, decided, last] = await makeApprovals(context);
    if (first === undefined || decided === undefined || last === undefined) throw new Error("no approvals were made");
    const isOdd = (one: JsonObject) => textAt(one, "state") !== pending || sameJson(one.approvalId, decided.id);
    for (const pageSize of fewAndMany) {
      const request = { ...setup.tenant(), ...first.within, state: pending, page: { pageSize } };
      const { records, replies, unfit, complete } = await listSteadily(context, request, isOdd, [first, last]);
      const reply = replies.at(-1);
      if (reply === undefined) return;
      judge(reply, "beta.filters.hold", replies.slice(0, -1)).satisfies(
        unfit === undefined,
        `${pending} only, and no approval that was decided`,
        showJson(unfit ?? null),
        "approvals[].state",
      );
      judge(reply, "beta.filters.complete", replies.slice(0, -1)).satisfies(
        complete,
        "both pending approvals",
        `${records.length} records on ${replies.length} pages`,
      );
    }
  },
});
