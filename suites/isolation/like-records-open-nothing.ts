import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { stored, uploaded } from "../../harness/setup/alpha/upload.ts";
import { create } from "../../harness/setup/create.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { type Alike, alike, asRead, hasNames, makingOf } from "./like-records.ts";

/** Makes a record with what it is to have in common with another. Content is sent, and completed unless that is the question. */
async function makeLike(
  where: CaseContext,
  making: RpcRow,
  { fields, content }: Alike,
  awaitsCompletion: boolean,
): Promise<Subject> {
  if (content === undefined) return create(where, making, fields);
  return (await (awaitsCompletion ? uploaded : stored)(where, content, fields)).artifact;
}

/** Lists in the other workspace, where the like of a record is, and judges that the record is not among what is shown. */
async function judgeListing(where: CaseContext, row: RpcRow, own: Subject, like: Subject): Promise<void> {
  // A listing may lag behind what was made.
  const { replies, records } = await lookUntil(
    where,
    async () => listAll(where, row, await where.setup.request(row, like)),
    (seen) => findRecord(seen.records, row, like.id) !== undefined,
  );
  const last = replies.at(-1);
  if (last === undefined) return;
  // The positive control: the listing shows what the other workspace has.
  if (findRecord(records, row, like.id) === undefined)
    throw new Unproven(`needs ${row.name} to list the ${row.subject} that was made`);
  where
    .judge(last, isolationClause(row), replies.slice(0, -1))
    .satisfies(
      findRecord(records, row, own.id) === undefined,
      `nothing of another workspace, whose ${row.subject} has the like of one here`,
      showJson(own.id),
      row.list?.name,
    );
}

export const likeOpensNothing = defineRule({
  id: "isolation/like-record-opens-none-of-another-workspace",
  says: "a record of another workspace is neither shown, listed nor changed where one of the caller's own has its name, its url or its content",
  clauses: ["*.isolation.read", "*.isolation.list", "*.isolation.mutate", "*.endpoints.served"],
  rows: (row) =>
    hasNames(row) &&
    row.effect !== Effect.CREATE &&
    row.subject !== "customer_user" &&
    (row.list !== undefined || subjectFieldOf(row) !== undefined),
  async run(context) {
    const { row, setup, call, judge } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const making = makingOf(row);
    const where = setup.elsewhere();
    const common = await alike(context, making);
    const own = await makeLike(context, making, common, row.change === Change.COMPLETES);
    const like = await orUndefined(makeLike(where, making, common, false));
    // Names may have to be unique, whosever they are.
    if (like === undefined) throw new ChosenOtherwise("the other workspace makes no record of that name");
    await asRead(where, like);
    if (row.list !== undefined) return judgeListing(where, row, own, like);
    const now = await asRead(context, own);
    const ready = row.effect === Effect.DELETE ? await setup.deletable(now) : now;
    const refused = await call(row, { ...(await setup.request(row, ready)), ...tenant }, { as: key });
    judge(refused, isolationClause(row)).isRefused({
      because: `it names a ${row.subject} of another workspace, which has the like of one here`,
    });
    // The positive control: in its own workspace it is served.
    if (refused.outcome !== "served") judge(await callCurrent(context, ready), "*.endpoints.served").isServed();
  },
});
