import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isChangeable } from "../../proto/resources.ts";
import { Effect } from "../../proto/rpcs.ts";
import { conditional } from "./expected.ts";

/** A version of two digits that is no round number: what is kept of a record may end with ten versions. */
const pastTen = 11n;

/** From version 0, in steps of one, that leads to such a version. */
const mostChanges = Number(pastTen);

/** The subject at a version of two digits or more, past the first of them, as far as a few changes lead to one. */
async function atTwoDigits({ setup }: CaseContext, subject: Subject): Promise<Subject> {
  let now = subject;
  for (let changed = 0; changed < mostChanges && numericVersion(now) < pastTen; changed += 1) {
    // How often a record may be changed in a short time is not shown.
    const next = await orUndefined(setup.change(now));
    if (next === undefined) break;
    now = next;
  }
  return now;
}

/** Earlier versions that a comparison of texts takes for the current one, or for a later one. */
function earlierAsText(current: bigint): readonly (readonly [version: string, what: string])[] {
  const text = String(current);
  const candidates: readonly (readonly [string, string])[] = [
    [String(current - 1n), "the previous one"],
    ["9".repeat(text.length - 1), "an earlier one that is later as a text"],
    [text.slice(0, -1), "an earlier one that it begins with"],
    [text.slice(0, 1), "an earlier one, its first digit"],
  ];
  return [...new Map(candidates.toReversed())].toReversed();
}

export const fewerDigits = defineRule({
  id: "version/stale-of-fewer-digits-is-refused",
  says: "a mutation at an earlier version is refused, though as a text that would be a later one, or the beginning of the current one",
  clauses: ["*.versioning.expected"],
  rows: (row) => conditional(row) && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge } = context;
    const current = await atTwoDigits(context, await setup.fresh(row.subject));
    if (numericVersion(current) < 10n)
      throw new ChosenOtherwise(`${mostChanges} changes lead to no version of two digits`);
    const field = row.expectedVersion?.name ?? "";
    const valid = await setup.request(row, current);
    for (const [version, what] of earlierAsText(numericVersion(current))) {
      const request = { ...valid, ...freshRequestId(row, setup), [field]: version };
      const reply = await call(row, request, { baseUrl: current.baseUrl });
      judge(reply).isRefused({ because: `${field} ${version} is not the current ${current.version}, but ${what}` });
      // What a call did that was wrongly served is the same breach, and moves the version.
      if (reply.outcome === "served") return;
    }
    const ready = row.effect === Effect.DELETE ? await setup.deletable(current) : current;
    // What else moves a version than calls is open: a delivery may.
    const served = await callAsItIsNow(context, ready, async (now) =>
      call(row, await setup.request(row, now), { baseUrl: current.baseUrl }),
    );
    judge(served, "*.endpoints.served").isServed();
  },
});
