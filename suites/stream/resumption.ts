import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { sampleOf } from "../../harness/generate/sampling.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isOver } from "../../harness/wire/states.ts";
import { heardOf, judgeNoLoss, judgeSameEvents, lastOf } from "./run-events.ts";

/** All events of a run, as far as a watch from its beginning shows them, once it has ended. */
async function allEvents(context: CaseContext, run: Subject): Promise<Streamed> {
  const whole = await watchRun(context, run);
  if (!whole.events.some(isOver)) throw new Unproven("needs all events of a run that has ended");
  return whole;
}

export const everyPosition = defineCase({
  id: "stream/run-watch-resumes-from-every-event",
  says: "a watch resumed after any event of a run shows the later events, or the last of them, once and in order",
  clauses: ["beta.watch.no-loss", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { row, run, judge } = context;
    const subject = await startRun(context, "complete");
    const whole = await allEvents(context, subject);
    const sequences = whole.events.map((event) => textAt(event, "sequence"));
    // Every position again and again: a server may lose an event now and then.
    const draws = run.draws.derive(`resumption ${row.name}`);
    const positions = sampleOf(draws, [...sequences.slice(0, -1).entries()], run.propertyRuns);
    const resumptions = Array.from({ length: 2 * run.propertyRuns }, (_, index) => positions[index % positions.length]);
    await Promise.all(
      resumptions.map(async ([index, after] = [sequences.length - 2, "0"]) => {
        const tail = await watchRun(context, subject, { after });
        const shown = tail.events.map((event) => textAt(event, "sequence"));
        // What was before a watch began, it need not show.
        const expected = sequences.slice(index + 1).slice(-Math.max(1, shown.length));
        judge(lastOf(tail), undefined, whole.replies.slice(-1)).satisfies(
          shown.join() === expected.join(),
          `after ${after}, the events ${sequences.slice(index + 1).join(", ")}, or the last of them`,
          shown.join(", "),
          "event.sequence",
        );
        judgeSameEvents(context, tail, whole);
      }),
    );
  },
});

export const differentCuts = defineCase({
  id: "stream/watchers-that-resume-at-different-events-agree",
  says: "watchers that are cut and resumed at different events see the same events",
  clauses: ["beta.watch.same-event", "beta.watch.no-loss"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const subject = await startRun(context, "complete");
    const whole = await allEvents(context, subject);
    const watchers = await Promise.all(
      [1, 2, 3].map((cutAfter) => watchRun(context, subject, { after: "0", cutAfter })),
    );
    for (const watcher of heardOf(watchers)) {
      judgeNoLoss(context, watcher, whole.events, whole.replies.slice(-1));
      judgeSameEvents(context, watcher, whole);
    }
  },
});
