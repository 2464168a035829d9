import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { changedNothing } from "../../harness/case/expected-words.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Change, CredentialKind, Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/** Rows about one record that a call makes, which several kinds of credential may call. */
const namesMade = (row: RpcRow) =>
  row.credentials.length > 1 &&
  row.effect !== Effect.CREATE &&
  row.list === undefined &&
  subjectFieldOf(row) !== undefined &&
  // What an app of the other tenant does with an input is not known.
  row.peers.some((one) => one.subject === row.subject && one.effect === Effect.CREATE && one.record !== undefined);

/** The valid call by each kind of credential, naming the other tenant's record at its version. */
async function attemptsByKind(
  { row, setup }: CaseContext,
  own: Subject | undefined,
  foreign: Subject,
): Promise<readonly Attempt[]> {
  const named = { [subjectFieldOf(row) ?? ""]: foreign.id };
  const version = row.expectedVersion === undefined ? {} : { [row.expectedVersion.name]: foreign.version };
  return Promise.all(
    row.credentials.map(async (kind) => ({
      because: `it names a ${row.subject} of another workspace, and its own workspace, with a credential of kind ${CredentialKind[kind]}`,
      changes: { ...freshRequestId(row, setup), ...named, ...version },
      options: { as: await setup.credentialOfKind(kind, row, own) },
      clause: isolationClause(row),
    })),
  );
}

/** A record of the other tenant that the row would act on there: work that goes on for a cancellation, as far as its app has such. */
async function foreignFor({ row, setup }: CaseContext): Promise<Subject> {
  if (isReadOnly(row)) return setup.ofOtherTenant(row.subject);
  const { setup: there } = setup.elsewhere();
  if (row.change !== Change.CANCELS) return there.fresh(row.subject);
  return (await orUndefined(there.subjectOf(row))) ?? there.fresh(row.subject);
}

export const recordsByKind = defineRule({
  id: "isolation/every-credential-kind-is-refused-records-of-another-workspace",
  says: "with every kind of credential that the RPC takes, a record of another workspace is refused under the own workspace's ids",
  clauses: ["*.isolation.read", "*.isolation.stream", "*.isolation.mutate"],
  rows: namesMade,
  async run(context) {
    const { row, setup, judge } = context;
    if ((await setup.otherTenant(row)).sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const foreign = await foreignFor(context);
    const plan = (_valid: unknown, own: Subject | undefined) => attemptsByKind(context, own, foreign);
    const replies = await judgeRefusals(context, plan);
    const last = replies.at(-1);
    if (last === undefined || isReadOnly(row) || replies.some(({ outcome }) => outcome === "served")) return;
    const { visible, seen } = await setup.elsewhere().setup.effectOn(row, foreign);
    judge(last, isolationClause(row), replies.slice(0, -1)).satisfies(!visible, changedNothing.elsewhere, seen);
  },
});
