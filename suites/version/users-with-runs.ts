import { defineCase, defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { runToRemember } from "../../harness/setup/beta/memory-item.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { isCanceled } from "../../proto/states.ts";
import { judgeInsufficientCallers } from "../common/callers-without.ts";
import { callCurrent } from "../common/current-call.ts";

/** Makes a call, by default that of the case's row, on what has runs, at a version far from the current one. */
async function callFar({ row: own, setup, call }: CaseContext, owner: Subject, row = own) {
  const version = String(farFrom(numericVersion(owner)));
  const request = { ...(await setup.request(row, owner)), [row.expectedVersion?.name ?? ""]: version };
  return { version, reply: await call(row, request) };
}

/** What changes a customer user and deletes none. */
const changing = [
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
].map(rpc);

export const usersWithRuns = defineCase({
  id: "version/user-with-runs-is-deleted-at-the-current-version-only",
  says: "a customer user who has runs, and memory, is not changed or deleted at a version that is not current",
  clauses: ["beta.versioning.expected"],
  rpc: "beta.v1.CustomerUserService/DeleteCustomerUser",
  async run(context) {
    const { row, setup, judge, target } = context;
    const made = await setup.fresh("customer_user");
    // Once it has ended, nothing changes by itself.
    if (target.beta.inputs.memory === undefined) await settle(context, await startRun(context, "complete", made));
    else await runToRemember(context, made);
    const current = (await setup.current(made)) ?? made;
    const reasonFor = (version: string, { version: now }: Subject) =>
      `version ${version} of a customer user with a run is not the current ${now}`;
    for (const other of changing) {
      const { version, reply } = await callFar(context, current, other);
      if (!judge(reply).isRefused({ because: reasonFor(version, current) })) return;
    }
    const user = await setup.deletable(current);
    const { version, reply: refused } = await callFar(context, user);
    const because = reasonFor(version, user);
    if (!judge(refused).isRefused({ because })) return;
    const { visible, seen } = await setup.effectOn(row, user);
    if (!judge(refused).satisfies(!visible, changedNothing.call, seen)) return;
    const control = await callCurrent(context, user);
    if (isRefusedForState(control)) throw new ChosenOtherwise("a customer user who has runs is not deleted");
    judge(control, "*.endpoints.served").isServed();
  },
});

/** A run that goes on, and the session or the user that it is of, which the RPC under test deletes. */
async function ownerOfRun(context: CaseContext): Promise<readonly [run: Subject, owner: Subject]> {
  const { row, setup } = context;
  const user = row.subject === "session" ? undefined : await setup.fresh("customer_user");
  const run = await startRun(context, "slow", user);
  const named = user ?? { ...run, kind: row.subject, id: run.record.sessionId ?? null };
  const owner = await setup.current(named);
  if (owner === undefined) throw new Unproven(`needs a ${row.subject} that can be read while a run of it goes on`);
  return [run, owner];
}

/** Judges that a run was not canceled by a call that was refused. */
async function judgeGoesOn(context: CaseContext, run: Subject, refused: Reply, clause?: string): Promise<boolean> {
  const { setup, judge, poll, target } = context;
  let state = "";
  // What is canceled may be so a moment later.
  await poll(async () => {
    state = textAt(recordIn(await setup.read(run)), "state");
    return isCanceled(state) ? true : undefined;
  }, target.settings.patience.quietMs);
  if (state === "") throw new Unproven("needs a run that can be read");
  return judge(refused, clause).satisfies(!isCanceled(state), changedNothing.call, `its run is ${state}`);
}

export const runsGoOn = defineRule({
  id: "version/refused-deletion-leaves-runs-going-on",
  says: "a session or a customer user whose deletion is refused for its version, for want of a credential or of the scope keeps its runs: none is canceled",
  clauses: ["beta.versioning.expected", "beta.auth.required", "beta.auth.scope"],
  rows: rowsNamed("beta.v1.SessionService/DeleteSession", "beta.v1.CustomerUserService/DeleteCustomerUser"),
  async run(context) {
    const { row, judge } = context;
    const [run, owner] = await ownerOfRun(context);
    const { version, reply: refused } = await callFar(context, owner);
    const because = `version ${version} of a ${row.subject} whose run goes on is not the current one`;
    if (!judge(refused).isRefused({ because })) return;
    if (!(await judgeGoesOn(context, run, refused))) return;
    await judgeInsufficientCallers(context, owner, (reply, clause) => judgeGoesOn(context, run, reply, clause));
  },
});
