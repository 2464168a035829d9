import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { cancelRun, startAwaiting, startRun } from "../../harness/setup/beta/run.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { needsStream } from "../common/silent.ts";
import { judgeAfter, lastOf } from "./run-events.ts";

/** Judges that text of a run that has not ended resumes after its first event. */
async function judgeResumed(context: CaseContext, run: Subject, what: string): Promise<void> {
  const withinMs = 4 * context.target.settings.patience.quietMs;
  const heard = await streamText(context, run, { isLast: () => true, withinMs });
  const after = textAt(heard.events.at(-1), "sequence");
  if (after === "" || after === "0") throw new ChosenOtherwise(`${what} says no text that can be resumed after`);
  const resumed = await streamText(context, run, { after, isLast: () => true, withinMs });
  needsStream(context, lastOf(resumed));
  judgeAfter(context, resumed, after, heard.replies.slice(-1));
  // It need not go on any longer.
  await orUndefined(cancelRun(context, run));
}

export const onTheWay = defineCase({
  id: "stream/text-of-what-goes-on-resumes-after-the-given-event",
  says: "a text stream that is resumed while its run goes on sends only later events",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  run: async (context) => judgeResumed(context, await startRun(context, "slow"), "a run that goes on"),
});

export const awaiting = defineCase({
  id: "stream/text-of-a-run-awaiting-approval-resumes-after-the-given-event",
  says: "a text stream that is resumed while its run awaits an approval sends only later events",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const { run } = await startAwaiting(context);
    await judgeResumed(context, run, "a run that awaits an approval");
  },
});
