import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { livesForItsPhase } from "../../harness/case/phase.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { create } from "../../harness/setup/create.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { withoutState } from "../../harness/setup/required-state.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { nameFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";

/** Pages that a traversal aims at, and items of a page at most: so many records and one more are made. */
const [maxPages, maxSize] = [20, 9];

/** Items of a page where few may live at a time, as each hears of what the others do. */
const fewItems = 2;

/** The row that makes what a row lists, with a name of the caller's. */
const creatingRowOf = ({ peers, subject }: RpcRow): RpcRow | undefined =>
  peers.find((row) => row.effect === Effect.CREATE && row.subject === subject && nameFieldOf(row) !== undefined);

/**
 * Records of one name, as many as asked for. Throws ChosenOtherwise where a name cannot be used twice, or names one record:
 * neither is shown.
 */
async function namesakes(context: CaseContext, creates: RpcRow, first: Subject, count: number) {
  const field = nameFieldOf(creates) ?? "";
  const name = textAt(first.record, field);
  const more = () => orUndefined(create(context, creates, { [field]: name, ...first.within }));
  const second = name === "" ? undefined : await more();
  const others = second === undefined ? [] : await Promise.all(Array.from({ length: count - 2 }, more));
  const made = [first, second, ...others].filter((one) => one !== undefined);
  const distinct = [...new Map(made.map((one) => [showJson(one.id), one])).values()];
  if (distinct.length < count) throw new ChosenOtherwise(`fewer than ${count} ${first.kind} records have one name`);
  return distinct;
}

export const sameNames = defineRule({
  id: "paging/records-of-one-name-are-all-listed",
  says: "of more records of one name, made at once, than a page holds, none is left out where the pages are turned",
  clauses: ["*.paging.traversal"],
  rows: (row) => row.list !== undefined && creatingRowOf(row) !== undefined,
  async run(context) {
    const { row, setup, judge } = context;
    const creates = creatingRowOf(row);
    if (creates === undefined) throw new Error(`nothing makes what ${row.name} lists`);
    const first = await setup.fresh(row.subject);
    const request = withoutState(row, await setup.request(row, first));
    const list = (pageSize: number) =>
      listAll(context, row, { ...request, page: { pageSize } }, { baseUrl: first.baseUrl });
    const { records } = await list(100);
    const most = livesForItsPhase(row.subject) ? fewItems : maxSize;
    const pageSize = Math.min(most, Math.ceil((records.length + 1) / maxPages));
    // One page cannot hold them: wherever it ends, a border lies between two of them if they follow each other.
    const made = await namesakes(context, creates, first, pageSize + 1);
    const look = async () => {
      const { records: shown, replies, ended } = await list(pageSize);
      const missing = made.filter(({ id }) => findRecord(shown, row, id) === undefined);
      return { missing, replies, ended };
    };
    const { missing, replies, ended } = await lookUntil(context, look, (seen) => seen.missing.length === 0);
    const [last, ...others] = replies.toReversed();
    // Whether a listing ends is for another case to say.
    if (last === undefined || !ended) return;
    judge(last, undefined, others).satisfies(
      missing.length === 0,
      `each of ${made.length} records of one name, in pages of ${pageSize}`,
      `${missing.length} of them are on no page`,
      row.list?.name,
    );
  },
});
