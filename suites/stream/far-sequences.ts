import { defineCase } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { watchRun } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { textAt } from "../../harness/wire/json.ts";
import { lastOf } from "./run-events.ts";

/** Sequences that a signed reading takes for negative: the first of them, and the largest there can be. */
const farSequences = [2n ** 63n, 2n ** 64n - 1n];

export const far = defineCase({
  id: "stream/run-watch-after-a-large-sequence-shows-nothing-before-it",
  says: "a watch after a sequence of 64 bits, which the run has not reached, shows no event at or before it, or is refused",
  clauses: ["beta.watch.not-older"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { judge, target } = context;
    const run = await startRun(context, "complete");
    const whole = await watchRun(context, run);
    // The positive control: the same watch from the beginning.
    if (whole.events.length === 0) throw new Unproven("needs a watch that shows events", whole.replies.at(-1));
    const { quietMs } = target.settings.patience;
    await Promise.all(
      farSequences.map(async (after) => {
        const shown = await watchRun(context, run, { after: String(after), withinMs: quietMs, maxStreams: 1 });
        const early = shown.events.filter((event) => integerAt(event, "sequence") <= after);
        judge(lastOf(shown), undefined, whole.replies.slice(-1)).satisfies(
          early.length === 0,
          `only events after ${after}`,
          `${early.length} up to it, ${textAt(early[0], "sequence")} the first`,
          "event.sequence",
        );
      }),
    );
  },
});
