import { defineCase } from "../../harness/case/case.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { cancelRun, startRun } from "../../harness/setup/beta/run.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { needsStream } from "../common/silent.ts";
import { judgeAfter, lastOf } from "./run-events.ts";

export const onTheWay = defineCase({
  id: "stream/text-of-what-goes-on-resumes-after-the-given-event",
  says: "a text stream that is resumed while its run goes on sends only later events",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const withinMs = 4 * context.target.settings.patience.quietMs;
    const run = await startRun(context, "slow");
    const heard = await streamText(context, run, { isLast: () => true, withinMs });
    const after = textAt(heard.events.at(-1), "sequence");
    if (after === "" || after === "0")
      throw new ChosenOtherwise("a run that goes on says no text that can be resumed after");
    const resumed = await streamText(context, run, { after, isLast: () => true, withinMs });
    needsStream(context, lastOf(resumed));
    judgeAfter(context, resumed, after, heard.replies.slice(-1));
    // It need not go on any longer.
    await orUndefined(cancelRun(context, run));
  },
});
