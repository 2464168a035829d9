import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { NotExercised } from "../../target/target.ts";
import { sameJson, textAt } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { listRecords } from "../read.ts";
import { subjectFrom } from "../subject.ts";
import { startRun } from "./run.ts";
import { tenantOf } from "./tenant.ts";

const list = rpc("beta.v1.ApprovalService/ListApprovals");
const pending = "APPROVAL_STATE_PENDING";

/** Why there is no approval: without tools in its grant, a user may have none that a run could ask about. */
export function withoutApproval(context: CaseContext): Error {
  const tools = tenantOf(context, context.setup.tenant())?.tools;
  return tools?.ids.length === 0
    ? new NotExercised(tools.key, "beta.inputs.approval calls a tool, which may have to be granted")
    : new Unproven("needs a pending approval; beta.inputs.approval made none");
}

/** The pending approval a run waits for; else the case is unproven. */
export async function awaitApproval(context: CaseContext, waiting: Subject): Promise<Subject> {
  let looks = 0;
  const found = await context.poll(async () => {
    // Of all approvals of a user, few are pending. A list that fails to show those alone is now and then asked for all.
    const filter: JsonObject = looks++ % 4 === 3 ? {} : { state: pending };
    const approvals = await listRecords(context, list, { ...waiting.within, ...filter });
    return approvals.find((one) => sameJson(one.runId, waiting.id) && textAt(one, "state") === pending);
  }, context.target.settings.patience.settleMs);
  if (found === undefined) throw withoutApproval(context);
  return subjectFrom(list, found, { shownBy: list.name, ...(waiting.within && { within: waiting.within }) });
}

/** Approvals: what runs wait for whose tools need one. They end with their run. */
export const approval: Resource = {
  create: async (context) => awaitApproval(context, await startRun(context, "approval")),
};
