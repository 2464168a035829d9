import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { sentAgain } from "../../harness/setup/redeliverable.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change } from "../../proto/rpcs.ts";
import { judgeWrongVersions } from "./wrong-versions.ts";

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
    const now = await sentAgain(context, first);
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
