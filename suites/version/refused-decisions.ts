import { defineCase } from "../../harness/case/case.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startAwaiting } from "../../harness/setup/beta/run.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { mayBeRefusedForState } from "../../harness/wire/reply.ts";
import { judgeStillAwaits } from "./awaiting-runs.ts";

export const refusedDecision = defineCase({
  id: "version/refused-decision-leaves-the-run-awaiting",
  says: "a run still awaits its approval after a decision that was refused for its version",
  clauses: ["beta.versioning.expected"],
  rpc: "beta.v1.ApprovalService/DecideApproval",
  async run(context) {
    const { row, setup, call, judge } = context;
    const { run } = await startAwaiting(context);
    const approval = await awaitApproval(context, run);
    const since = performance.now();
    const version = String(farFrom(numericVersion(approval)));
    const refused = await call(row, await setup.request(row, { ...approval, version }));
    const because = `version ${version} is not the current ${approval.version}`;
    if (!judge(refused).isRefused({ because })) return;
    if (!(await judgeStillAwaits(context, run, [refused], since))) return;
    const decided = await call(row, await setup.request(row, (await setup.current(approval)) ?? approval));
    // How long an approval can be given is not shown.
    if (mayBeRefusedForState(decided)) throw new ChosenOtherwise("an approval expires before it can be given");
    judge(decided, "*.endpoints.served").isServed();
  },
});
