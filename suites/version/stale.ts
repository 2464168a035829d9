import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isChangeable } from "../../proto/resources.ts";
import { Change, Effect } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { callCurrent } from "../common/current-call.ts";
import { conditional } from "./expected.ts";

/** Judges that a mutation at an outdated version is refused and changes nothing, and served at the current one. */
async function judgeStale(context: CaseContext): Promise<void> {
  const { row, setup, call, judge } = context;
  const before = await pastVersionZero(context, await setup.fresh(row.subject));
  const current = await setup.change(before);
  if (current === undefined) throw new Error(`nothing changes a ${row.subject}`);
  const request = await setup.request(row, before);
  const refused = await call(row, request, { baseUrl: before.baseUrl });
  judge(refused).isRefused({
    because: `version ${before.version} is no longer current`,
    reasons: ["RESOURCE_VERSION_CONFLICT"],
    reasonClause: "*.versioning.reason",
  });
  // What a call did that was wrongly served is the same breach, and moves the version that the right call would name.
  if (refused.outcome === "served") return;
  const again = await call(row, request, { baseUrl: before.baseUrl });
  judge(again, undefined, [refused]).isRefused({
    because: `it repeats, requestId and all, what was refused, and version ${before.version} is not current yet`,
  });
  if (again.outcome === "served") return;
  const { visible, seen } = await setup.effectOn(row, current);
  judge(refused).satisfies(!visible, changedNothing.call, seen);
  const ready = row.effect === Effect.DELETE ? await setup.deletable(current) : current;
  // Deliveries that count as changes of their endpoint may move it meanwhile.
  judge(await callCurrent(context, ready), "*.endpoints.served").isServed();
}

export const stale = defineRule({
  id: "version/stale-is-refused",
  says: "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: (row) => conditional(row) && isChangeable(row),
  smoke: rowsNamed("alpha.v1.SecretService/RotateSecret"),
  run: (context) => inBothTenants(context, judgeStale),
});

export const staleUnchanged = defineRule({
  id: "version/stale-is-refused-though-nothing-would-change",
  says: "a mutation with an outdated expectedResourceVersion is refused, though what it asks for is stored already",
  clauses: ["*.versioning.expected"],
  rows: (row) => conditional(row) && (row.change === Change.SETS || row.change === Change.ROTATES),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const before = await pastVersionZero(context, await setup.fresh(row.subject));
    const request = await setup.request(row, before);
    const first = await call(row, request, { baseUrl: before.baseUrl });
    needs(first);
    if (versionOf(recordIn(first)) === before.version)
      throw new ChosenOtherwise(`${row.method} leaves a ${row.subject} at its version`);
    const again = await call(row, { ...request, ...freshRequestId(row, setup) }, { baseUrl: before.baseUrl });
    judge(again, undefined, [first]).isRefused({
      because: `version ${before.version} is no longer current, though what it asks for is stored already`,
    });
  },
});
