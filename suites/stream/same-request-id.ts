import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { untilServed } from "../common/current-call.ts";
import { lastOf } from "./run-events.ts";
import { streamToEnd } from "./run-text.ts";
import { startTextRun } from "./text-run.ts";

/** Judges that streams which go on under one requestId show nothing once more. That it is refused the second time is open. */
function judgeOnward({ judge }: CaseContext, pieces: Streamed, related: readonly Reply[]): void {
  const sequences = pieces.events.map((event) => integerAt(event, "sequence"));
  const back = sequences.findIndex((one, index) => index > 0 && one <= (sequences[index - 1] ?? 0n));
  judge(lastOf(pieces), undefined, related).satisfies(
    back === -1,
    "only events after the last one seen, with the requestId of the stream before, too",
    `${sequences[back]} after ${sequences[back - 1]}`,
    "event.sequence",
  );
}

/** Asks for another run under a requestId that was used: the invariants judge whose the events are. That it is refused is open. */
async function askForAnother(context: CaseContext, requestId: JsonValue): Promise<void> {
  const { row, setup, call } = context;
  // Of one that has ended there may be nothing to stream.
  const other = await startRun(context, "complete");
  await call(row, { ...(await setup.request(row, other)), requestId }, untilServed(row));
}

export const text = defineCase({
  id: "stream/text-resumed-under-one-request-id-shows-later-events-only",
  says: "a text stream that is resumed with the requestId of the one before begins after its own afterSequence",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const heard = await startTextRun(context);
    const requestId = context.setup.requestId();
    const options = { cutAfter: 1, maxStreams: 200, requestId };
    const [whole, pieces] = await Promise.all([streamToEnd(context, heard), streamText(context, heard.run, options)]);
    judgeOnward(context, pieces, whole.replies.slice(-1));
    await askForAnother(context, requestId);
  },
});

export const states = defineCase({
  id: "stream/run-watch-resumed-under-one-request-id-shows-later-events-only",
  says: "a watch of a run that is resumed with the requestId of the one before begins after its own afterSequence",
  clauses: ["beta.watch.not-older"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const run = await startRun(context, "complete");
    const requestId = context.setup.requestId();
    const pieces = await watchRun(context, run, { cutAfter: 1, maxStreams: 20, requestId });
    judgeOnward(context, pieces, []);
    await askForAnother(context, requestId);
  },
});
