import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { drawSome } from "../../harness/generate/draw.ts";
import { type Streamed, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isOver } from "../../harness/wire/states.ts";
import { judgeSameEvents, lastOf } from "./run-events.ts";

/** The whole history of a run that is over. */
async function historyOf(context: CaseContext, run: Subject): Promise<Streamed> {
  const whole = await watchRun(context, run);
  if (!whole.events.some(isOver)) throw new Unproven("needs the history of a run that is over");
  return whole;
}

export const everyPosition = defineCase({
  id: "stream/run-watch-resumes-from-every-event",
  says: "resumed after any event of its history, a watch shows what came after it, all of it, once and in its order",
  clauses: ["beta.watch.no-loss", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { setup, random, run, judge } = context;
    const subject = await setup.shared("run");
    const whole = await historyOf(context, subject);
    const sequences = whole.events.map((event) => textAt(event, "sequence"));
    // Every position again and again: a server may lose an event now and then.
    const positions = drawSome(random, [...sequences.slice(0, -1).entries()], run.propertyRuns);
    const resumptions = Array.from({ length: 2 * run.propertyRuns }, (_, index) => positions[index % positions.length]);
    await Promise.all(
      resumptions.map(async ([index, after] = [0, ""]) => {
        const tail = await watchRun(context, subject, { after });
        const shown = tail.events.map((event) => textAt(event, "sequence"));
        const expected = sequences.slice(index + 1);
        judge(lastOf(tail), undefined, whole.replies.slice(-1)).satisfies(
          shown.join() === expected.join(),
          `after ${after}, the events ${expected.join(", ")}`,
          shown.join(", "),
          "event.sequence",
        );
        judgeSameEvents(context, tail, whole);
      }),
    );
  },
});

export const asOne = defineCase({
  id: "stream/watchers-that-resume-at-different-events-agree",
  says: "watchers that begin at different events of a run under way see one history",
  clauses: ["beta.watch.same-event", "beta.watch.no-loss"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { setup, judge } = context;
    const subject = await setup.shared("run");
    const whole = await historyOf(context, subject);
    const pieces = await Promise.all([1, 2, 3].map((cutAfter) => watchRun(context, subject, { after: "0", cutAfter })));
    for (const piece of pieces) {
      const shown = piece.events.map((event) => textAt(event, "sequence"));
      const expected = whole.events.map((event) => textAt(event, "sequence"));
      judge(lastOf(piece), "*.watch.no-loss", whole.replies.slice(-1)).satisfies(
        shown.join() === expected.join(),
        `the events ${expected.join(", ")} in all, over ${piece.replies.length} streams`,
        shown.join(", "),
        "event.sequence",
      );
      judgeSameEvents(context, piece, whole);
    }
  },
});
