import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { createItems } from "../../../harness/setup/beta/memory-item.ts";
import { changeOf } from "../../../harness/setup/subject.ts";
import { textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { isChangedAtItsVersion } from "../../../proto/resources.ts";
import { isCanceled } from "../../../proto/states.ts";
import { callCurrent } from "../../common/current-call.ts";

/** A record that is to be changed, and another of its kind that is not. */
interface Pair {
  readonly subject: Subject;
  readonly other: Subject;
}

/** Two records of the row's subject, of one user where a user has several. */
async function pairOf(context: CaseContext): Promise<Pair> {
  const { row, setup } = context;
  // A new memory item would belong to another user.
  const items = row.subject === "memory_item" ? await createItems(context, 2) : [];
  const [subject, other] = [items[0] ?? (await setup.subjectOf(row)), items[1] ?? (await setup.subjectOf(row))];
  if (subject === undefined || other === undefined) throw new Error(`${row.name} has no subject`);
  return { subject, other };
}

/** What became of the other record while one was changed. */
interface Change {
  readonly reply: Reply;
  /** How the other one differs; undefined where it is as it was. */
  readonly seen: string | undefined;
}

/**
 * How a record that nobody was to change differs from what it was; undefined where it does not. Of work that goes on it is looked
 * whether it is canceled, as that does not come by itself.
 */
function differenceOf({ row }: CaseContext, before: Subject, now: Subject | undefined): string | undefined {
  if (now === undefined) return `the ${before.kind} is gone`;
  const [was, is] = [before, now].map(({ record }) => textAt(record, "state"));
  if (!before.changesOnlyByMutation) return isCanceled(is ?? "") ? `before ${was}, after ${is}` : undefined;
  const changed = changeOf(row.package, before, now.record);
  return changed && `before ${changed.was}, after ${changed.is}`;
}

/** Changes one of two records, and looks at the other before and after; undefined where somebody else's calls change that, too. */
async function changeOne(context: CaseContext): Promise<Change | undefined> {
  const { setup, needs } = context;
  const { subject, other } = await pairOf(context);
  const before = await setup.current(other);
  if (before === undefined) throw new Unproven(`needs a ${other.kind} that can be read`);
  // A reading may lag behind what has made the record what it is.
  if (other.changesOnlyByMutation && before.version !== other.version) return undefined;
  if (isCanceled(textAt(before.record, "state"))) return undefined;
  // What others do to every record of a kind they do to this one, too.
  const reply = await orUndefined(callCurrent(context, subject));
  if (reply === undefined) return undefined;
  if (reply.outcome === "refused" && (await setup.current(subject))?.version !== subject.version) return undefined;
  needs(reply);
  const now = await setup.current(other);
  const seen = differenceOf(context, before, now);
  if (seen === undefined || now === undefined) return { reply, seen };
  // What moves by itself, or by another call, moves on.
  const later = await setup.current(other);
  const isStill = later !== undefined && changeOf(context.row.package, now, later.record) === undefined;
  return isStill || !other.changesOnlyByMutation ? { reply, seen } : undefined;
}

/** How often a change must be seen: other cases call the same server, and what one of those calls does may come between two readings. */
const often = 3;
/** How often it is looked for a moment at which nobody else's call comes between, and how much longer it is waited each time, in milliseconds. */
const [maxTries, pauseMs] = [16, 30];

/** What became of other records while one of their kind was changed: nothing once, or something each time. Throws Unproven where it cannot be told. */
async function changeSome(context: CaseContext): Promise<readonly Change[]> {
  const changed: Change[] = [];
  for (let tries = 0; tries < maxTries && changed.length < often; tries += 1) {
    const change = await changeOne(context);
    if (change !== undefined && change.seen === undefined) return [change];
    if (change !== undefined) changed.push(change);
    else await sleep(tries * pauseMs, context.signal);
  }
  if (changed.length === often) return changed;
  throw new Unproven(`needs a ${context.row.subject} that no other call changes`);
}

export const otherRecords = defineRule({
  id: "lifecycle/mutation-changes-no-other-record",
  says: "a change of one record leaves another of its kind as it is, its version included",
  clauses: ["*.records.untouched"],
  rows: isChangedAtItsVersion,
  async run(context) {
    const { row, judge, setup } = context;
    // Where there is another tenant, few calls but these change anything there.
    const away = await orUndefined((async () => changeSome(setup.elsewhere()))());
    const [last, ...earlier] = (away ?? (await changeSome(context))).toReversed();
    if (last === undefined) return;
    const related = earlier.map(({ reply }) => reply);
    judge(last.reply, undefined, related).satisfies(
      last.seen === undefined,
      `another ${row.subject} as it was before one was changed`,
      last.seen ?? "",
    );
  },
});
