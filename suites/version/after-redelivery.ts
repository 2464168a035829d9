import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { redelivered as learntRedelivery } from "../../harness/setup/redeliverable.ts";
import { idIn } from "../../harness/setup/subject.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { Change } from "../../proto/rpcs.ts";
import { judgeWrongVersions } from "./wrong-versions.ts";

/** Sends a delivery again, and returns it once it is at rest: as long as it is under way, it may be refused for that. */
async function redelivered(context: CaseContext, delivery: Subject): Promise<Subject> {
  const { row, run, setup, call, needs, signal } = context;
  const reply = await call(row, await setup.request(row, delivery), { baseUrl: setup.baseUrl(row, delivery) });
  needs(reply);
  const isItself = sameJson(idIn(reply), delivery.id);
  const rested = await pollForDelivery(context, async () => {
    const now = await setup.current(delivery);
    // A listing that lags shows it as it was; where a redelivery is a record of its own, that may be how it is.
    const isShown = !isItself || now?.version !== delivery.version;
    return now !== undefined && isShown && isSettled(now.record) ? now : undefined;
  });
  await run.readLag.pass(row.package, signal);
  const now = rested && (await setup.current(rested));
  if (now === undefined) {
    if ((await learntRedelivery(context)) === "being tried")
      throw new ChosenOtherwise("what is sent again and not taken is tried for longer than patience.deliveryMs");
    throw new Unproven("needs a delivery that is over once it was sent again");
  }
  return now;
}

/** How often the positive control is sent, as the version may move by itself. */
const maxTries = 3;

/** Sends the delivery again at the version it has. */
async function callAtCurrent({ row, setup, call }: CaseContext, delivery: Subject): Promise<Reply> {
  const baseUrl = setup.baseUrl(row, delivery);
  let reply = await call(row, await setup.request(row, delivery), { baseUrl });
  for (let tries = 1; tries < maxTries && reply.outcome === "refused"; tries += 1) {
    const now = (await setup.current(delivery)) ?? delivery;
    reply = await call(row, await setup.request(row, now), { baseUrl });
  }
  return reply;
}

export const afterRedelivery = defineRule({
  id: "version/not-current-is-refused-after-a-redelivery",
  says: "a delivery that was sent again once is sent again at its current version only: any other is refused and changes nothing",
  clauses: ["*.versioning.expected"],
  rows: (row) => row.expectedVersion !== undefined && row.change === Change.REDELIVERS,
  async run(context) {
    const { row, setup, judge } = context;
    const first = (await setup.subjectOf(row)) ?? (await setup.fresh(row.subject));
    const now = await redelivered(context, first);
    const earlier = { version: first.version, what: "the one before the redelivery" };
    const replies = await judgeWrongVersions(context, now, earlier);
    const [last, ...others] = replies.toReversed();
    // A call that was wrongly served has its finding already: its side effect is the same breach.
    if (last === undefined || replies.some(({ outcome }) => outcome === "served")) return;
    const { visible, seen } = await setup.effectOn(row, now);
    if (!judge(last, undefined, others).satisfies(!visible, changedNothing.calls, seen)) return;
    const control = await callAtCurrent(context, now);
    // How often a delivery can be sent again is not shown.
    if (control.outcome === "refused") throw new ChosenOtherwise("a delivery is sent again once only");
    judge(control, "*.endpoints.served").isServed();
  },
});
