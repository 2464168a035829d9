import { defineCase } from "../../harness/case/case.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isRefusedForState } from "../../harness/wire/reply.ts";
import { callCurrent } from "../common/refusals.ts";

export const usersWithRuns = defineCase({
  id: "version/user-with-runs-is-deleted-at-the-current-version-only",
  says: "a customer user who has runs is not deleted at a version that is not current",
  clauses: ["beta.versioning.expected"],
  rpc: "beta.v1.CustomerUserService/DeleteCustomerUser",
  async run(context) {
    const { row, setup, call, judge } = context;
    const made = await setup.fresh("customer_user");
    // Once it has ended, nothing changes by itself.
    await settle(context, await startRun(context, "complete", made));
    const user = await setup.deletable((await setup.current(made)) ?? made);
    const version = String(farFrom(numericVersion(user)));
    const refused = await call(row, {
      ...(await setup.request(row, user)),
      [row.expectedVersion?.name ?? ""]: version,
    });
    const because = `version ${version} of a customer user with a run is not the current ${user.version}`;
    if (!judge(refused).isRefused({ because })) return;
    const { visible, seen } = await setup.effectOn(row, user);
    if (!judge(refused).satisfies(!visible, changedNothing.call, seen)) return;
    const control = await callCurrent(context, user);
    if (isRefusedForState(control)) throw new ChosenOtherwise("a customer user who has runs is not deleted");
    judge(control, "*.endpoints.served").isServed();
  },
});
