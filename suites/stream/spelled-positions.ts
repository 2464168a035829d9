import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { eventsOf, type Streamed, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { inEverySpelling } from "../common/every-spelling.ts";
import { judgeAfter, spread } from "./run-events.ts";
import { streamToEnd } from "./run-text.ts";
import { startTextRun } from "./text-run.ts";

/** Judges that a stream of an ended run after one of its events shows later ones only, in whatever JSON it is asked for. */
async function judgeSpelled(context: CaseContext, clause: string, run: Subject, whole: Streamed): Promise<void> {
  const { row, setup, call, target } = context;
  const afterSequence = textAt(spread(whole.events).at(-2), "sequence");
  if (afterSequence === "" || afterSequence === "0")
    throw new ChosenOtherwise("the stream of a run shows no event before its last that it can be resumed after");
  const asked = { ...(await setup.request(row, run)), ...run.within, afterSequence };
  for (const { name, request, body } of inEverySpelling(context, asked)) {
    const reply = await call(row, request, { body, listenMs: target.settings.patience.quietMs });
    const shown: Streamed = { replies: [reply], events: eventsOf(reply.messages) };
    const how = `, as it is asked for (${name})`;
    judgeAfter(context, shown, afterSequence, whole.replies.slice(-1), { clause, how });
  }
}

export const spelledText = defineCase({
  id: "stream/text-resumes-after-an-event-in-equivalent-json",
  says: "a text stream that is resumed after an event sends only later ones, in whatever equivalent JSON it is asked for",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const heard = await startTextRun(context);
    await judgeSpelled(context, "beta.text.after", heard.run, await streamToEnd(context, heard));
  },
});

export const spelledStates = defineCase({
  id: "stream/run-watch-resumes-after-an-event-in-equivalent-json",
  says: "a watch of a run that is resumed after an event shows only later ones, in whatever equivalent JSON it is asked for",
  clauses: ["beta.watch.not-older"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const run = await startRun(context, "complete");
    await judgeSpelled(context, "beta.watch.not-older", run, await watchRun(context, run));
  },
});
