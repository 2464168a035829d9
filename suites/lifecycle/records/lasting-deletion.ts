import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { listRowOf, readRowOf, subjectFieldOf } from "../../../proto/resources.ts";
import { Effect } from "../../../proto/rpcs.ts";
import { deleteOnceIdle } from "../../common/deletion-once-idle.ts";
import { isShownDeleted } from "./shown-deleted.ts";

/** How long after its deletion a record is looked for once more, in milliseconds. */
const laterMs = 2500;

/** So many readings at once are to show it gone: of several processes that answer in turn, each may have a copy of its own. */
const readingsAtOnce = 10;

/** What a reading or a listing shows of a subject: whether it is there, and the reply that says so. */
interface Look {
  readonly isThere: boolean;
  readonly reply: Reply;
  readonly seen: string;
}

/** Ways in which a kind is shown. */
type Way = (context: CaseContext, subject: Subject) => Promise<Look>;

/** How its reading shows it. */
const readIt: Way = async (context, subject) => {
  const reply = await context.setup.read(subject);
  const isThere = reply.outcome === "served" && !isShownDeleted(context, recordIn(reply));
  return { isThere, reply, seen: describeReply(reply) };
};

/** How several readings show it: the first that shows it there, or one that shows it gone. */
const readItOften: Way = async (context, subject) => {
  const looks = await Promise.all(Array.from({ length: readingsAtOnce }, () => readIt(context, subject)));
  const [first] = looks;
  const look = looks.find(({ isThere }) => isThere) ?? first;
  if (look === undefined) throw new Error("nothing was read");
  return look;
};

/** How its listing shows it. */
const listIt: Way = async (context, subject) => {
  const { row, setup } = context;
  const list = listRowOf(subject.kind, row.package);
  if (list === undefined) throw new Error(`nothing lists a ${subject.kind}`);
  const request = withoutState(list, await setup.request(list, subject));
  const { records, replies } = await listAll(context, list, request, { baseUrl: subject.baseUrl });
  // It may be there beside what is left of it.
  const own = records.filter((one) => findRecord([one], list, subject.id) !== undefined);
  const live = own.find((one) => !isShownDeleted(context, one));
  const reply = pageNaming(replies, subject.id) ?? replies.at(-1);
  if (reply === undefined) throw new Error(`${list.name} gave no page`);
  return { isThere: live !== undefined, reply, seen: showJson(live ?? own[0]) };
};

/** Looks until it is gone, as readings may lag. The last look. */
async function untilGone(context: CaseContext, way: Way, subject: Subject): Promise<Look | undefined> {
  let last: Look | undefined;
  await context.poll(async () => {
    last = await way(context, subject);
    return last.isThere ? undefined : true;
  }, context.target.settings.patience.settleMs);
  return last;
}

export const lastingDeletion = defineRule({
  id: "lifecycle/deleted-resource-stays-gone",
  says: "what was deleted is not read or listed as live again some seconds later, whoever of those that answer in turn is asked",
  waits: true,
  clauses: ["*.deletion.effective"],
  rows: (row) => row.effect === Effect.DELETE && subjectFieldOf(row) !== undefined,
  async run(context) {
    const { row, setup, needs, judge, run, signal } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const deleted = await deleteOnceIdle(context, subject);
    needs(deleted);
    const ways = [
      ...(readRowOf(subject.kind, row.package) === undefined ? [] : [readIt]),
      ...(listRowOf(subject.kind, row.package) === undefined ? [] : [listIt]),
    ];
    const gone: Way[] = [];
    // What never goes is judged by another case.
    for (const way of ways) if ((await untilGone(context, way, subject))?.isThere === false) gone.push(way);
    if (gone.length === 0) throw new ChosenOtherwise(`a ${subject.kind} that was deleted is shown as it was`);
    await sleep(laterMs + run.readLag.behind(row.package), signal);
    for (const way of gone) {
      // Of several copies one may be behind: what is there once more is gone again then.
      const look = await untilGone(context, way === readIt ? readItOften : way, subject);
      if (look === undefined) return;
      const what = `the ${subject.kind} gone, as it was ${laterMs / 1000} s before`;
      // Where only a listing can show the subject, the finding goes to the deletion.
      const isListed = way === listIt && gone.length > 1;
      const judged = isListed ? judge(look.reply, undefined, [deleted]) : judge(deleted, undefined, [look.reply]);
      if (!judged.satisfies(!look.isThere, what, look.seen)) return;
    }
  },
});
