import { defineRule } from "../../harness/case/case.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { mayBeRefusedForState } from "../../harness/wire/reply.ts";
import { changingRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { isSilent } from "../common/silent.ts";
import { strangersTo } from "./strangers.ts";

/** RPCs that show one piece of work, of a kind that can be canceled. */
const showsCancelable = (row: RpcRow) =>
  (row.effect === Effect.READ || row.effect === Effect.WATCH) &&
  subjectFieldOf(row) !== undefined &&
  changingRowOf(row, Change.CANCELS) !== undefined;

/** How often a stranger asks at most while a cancellation is under way, and how often just afterwards. */
const [maxAsked, askedAfter] = [8, 2];

export const beingCanceled = defineRule({
  id: "isolation/work-that-is-being-canceled-is-refused-elsewhere",
  says: "a job or run that is being canceled is not shown to another workspace, nor to, or for, another user",
  clauses: [
    "*.isolation.read",
    "*.isolation.stream",
    "*.isolation.user-read",
    "*.isolation.user-stream",
    "*.isolation.named-user",
  ],
  rows: showsCancelable,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { strangers, missing } = await strangersTo(context);
    const cancels = changingRowOf(row, Change.CANCELS);
    if (cancels === undefined) throw new Error(`nothing cancels a ${row.subject}`);
    const work = await setup.subjectOf(cancels);
    if (work === undefined) throw new Error(`${cancels.name} has no subject`);
    const options = { baseUrl: setup.baseUrl(row, work), ...untilServed(row) };
    const valid = await setup.request(row, work);
    // The positive control: to its owner it is shown while it goes on. In which states it is, is open.
    const shown = await call(row, valid, options);
    if (mayBeRefusedForState(shown))
      throw new ChosenOtherwise(`${row.method} is refused for a ${row.subject} that goes on`);
    if (isSilent(shown)) throw new ChosenOtherwise(`${row.method} shows nothing of a ${row.subject} that goes on`);
    needs(shown);
    let isOver = false;
    const canceling = callAsItIsNow(context, work, async (current) =>
      call(cancels, await setup.request(cancels, current), { baseUrl: setup.baseUrl(cancels, work) }),
    ).finally(() => {
      isOver = true;
    });
    // Again and again: it is in this state for a moment.
    const asked = strangers.map(async (one) => {
      const ask = () => call(row, { ...valid, ...one.fields }, { ...options, as: one.as });
      const replies = [await ask()];
      for (let left = maxAsked; !isOver && left > 0; left -= 1) replies.push(await ask());
      for (let left = askedAfter; left > 0; left -= 1) replies.push(await ask());
      return { replies, ...one };
    });
    const [canceled, ...all] = await Promise.all([canceling, ...asked]);
    needs(canceled);
    for (const { replies, whose, clause } of all) {
      for (const reply of replies)
        judge(reply, clause, [shown, canceled]).isRefused({
          because: `it names a ${row.subject} that is being canceled, of ${whose}`,
        });
    }
    if (!textAt(recordIn(canceled), "state").endsWith("_CANCELING"))
      throw new ChosenOtherwise(`a ${row.subject} is canceled at once`);
    if (missing !== undefined) throw missing;
  },
});
