import { defineCase } from "../../harness/case/case.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { startAwaiting } from "../../harness/setup/beta/run.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { mayBeRefusedForState } from "../../harness/wire/reply.ts";
import { judgeStillAwaits } from "./awaiting-runs.ts";

export const refusedDecision = defineCase({
  id: "version/refused-decision-leaves-the-run-awaiting",
  says: "a run still awaits its approval after decisions that were refused for their version, be it that of the run",
  clauses: ["beta.versioning.expected"],
  rpc: "beta.v1.ApprovalService/DecideApproval",
  async run(context) {
    const { row, setup, call, judge } = context;
    const { run } = await startAwaiting(context);
    const approval = await awaitApproval(context, run);
    const since = performance.now();
    // What is decided for a run may be compared with the version of the run.
    const wrong = [String(farFrom(numericVersion(approval))), run.version].filter((one) => one !== approval.version);
    for (const version of wrong) {
      const refused = await call(row, await setup.request(row, { ...approval, version }));
      const what = version === run.version ? ", but that of its run" : "";
      const because = `version ${version} is not the current ${approval.version}${what}`;
      if (!judge(refused).isRefused({ because })) return;
      if (!(await judgeStillAwaits(context, run, [refused], since))) return;
    }
    const decided = await call(row, await setup.request(row, (await setup.current(approval)) ?? approval));
    // How long an approval can be given is not shown.
    if (mayBeRefusedForState(decided)) throw new ChosenOtherwise("an approval expires before it can be given");
    judge(decided, "*.endpoints.served").isServed();
  },
});
