import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isChangeable, siblingsOf, subjectFieldOf } from "../../proto/resources.ts";
import { Change, Effect, isReadOnly, type RpcRow, serverKeyOf } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { judgeAsItMoves, type WrongCall } from "../common/other-states.ts";
import { strangersTo } from "./strangers.ts";

/** How old a record is to be, in milliseconds: what is kept of new ones, in a cache or a queue, is gone by then more often than not. */
const olderMs = 2500;

/** What runs make for their user. */
const madeByRuns = (row: RpcRow) =>
  row.package === "beta.v1" && ["approval", "artifact", "job", "memory_item"].includes(row.subject);

/** Rows about one record that a call, or a run, makes, and that is not the user who calls. */
const namesMade = (row: RpcRow) =>
  row.effect !== Effect.CREATE &&
  row.list === undefined &&
  row.subject !== "customer_user" &&
  subjectFieldOf(row) !== undefined &&
  !row.fixture &&
  (madeByRuns(row) || siblingsOf(row).some((one) => one.effect === Effect.CREATE && one.record !== undefined));

/** A record that was changed in each way there is, as often as that is served: a secret may be rotated once in a while. */
async function changedOften({ row, setup }: CaseContext, made: Subject): Promise<Subject> {
  if (!isChangeable(row)) return made;
  let now = made;
  for (const way of [Change.SETS, Change.ROTATES, Change.ROTATES])
    now = (await orUndefined(setup.change(now, way))) ?? now;
  return now;
}

/** The calls that are wrong about a record: of strangers to it, of a key without the scope, and at versions that it is not at. */
async function wrongCalls(context: CaseContext, subject: Subject): Promise<readonly WrongCall[]> {
  const { row, setup, call } = context;
  const options = { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) };
  const valid = await setup.request(row, subject);
  const what = `a ${row.subject} that was made, and changed, seconds ago`;
  const strangers = (await orUndefined(strangersTo(context)))?.strangers ?? [];
  // Another token of the user may end the one that reads the record.
  const unscoped =
    row.scope === "" || serverKeyOf(row) === undefined ? undefined : await orUndefined(setup.keyWithoutScope(row));
  const versions = row.expectedVersion === undefined ? [] : farAndPrevious(subject);
  const wrong = (because: string, clause: string, changes: object, more: object = {}): WrongCall => ({
    send: () => call(row, { ...valid, ...freshRequestId(row, setup), ...changes }, { ...options, ...more }),
    because,
    clause,
  });
  return [
    ...strangers.map(({ whose, fields, as, clause }) => wrong(`it names ${what} by ${whose}`, clause, fields, { as })),
    ...(unscoped === undefined
      ? []
      : [wrong(`its key lacks ${row.scope}, also for ${what}`, "*.auth.scope", {}, { as: unscoped })]),
    ...versions.map((version) => {
      const because = `version ${version} of ${what} is not the current ${subject.version}`;
      return wrong(because, "*.versioning.expected", { [row.expectedVersion?.name ?? ""]: version });
    }),
  ];
}

export const olderRecords = defineRule({
  id: "isolation/older-records-are-guarded-as-new-ones",
  says: "a record that was changed in every way, and is seconds old, is refused to another workspace, another user and a key without the scope, and at any version but its own",
  clauses: [
    "*.isolation.read",
    "*.isolation.mutate",
    "*.isolation.stream",
    "*.isolation.user-read",
    "*.isolation.user-mutate",
    "*.isolation.user-stream",
    "*.isolation.named-user",
    "*.auth.scope",
    "*.versioning.expected",
    "*.versioning.reason",
    "*.endpoints.served",
  ],
  rows: namesMade,
  waits: true,
  async run(context) {
    const { row, setup, signal } = context;
    // What cases share is not to be changed, and the downloads of others may move an artifact.
    const isShared = isReadOnly(row) && (isChangeable(row) || row.subject === "artifact");
    const make = async () => {
      const made = isShared ? await setup.fresh(row.subject) : await setup.subjectOf(row);
      if (made === undefined) throw new Error(`${row.name} has no subject`);
      return made;
    };
    const deletable = async (made: Subject) => (row.effect === Effect.DELETE ? await setup.deletable(made) : made);
    const changed = await changedOften(context, await make());
    await sleep(olderMs, signal);
    const ready = await deletable(changed);
    const anew = async () => deletable(await make());
    if (!(await judgeAsItMoves(context, ready, (subject) => wrongCalls(context, subject), anew)))
      throw new ChosenOtherwise(`${row.method} is refused for a ${row.subject} of some age`);
  },
});
