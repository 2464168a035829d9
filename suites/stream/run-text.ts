import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Missed } from "../../harness/case/unproven.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { settle } from "../../harness/setup/work.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { needsStream } from "../common/silent.ts";
import { judgeAfter, judgeSameEvents, lastOf, spread } from "./run-events.ts";
import { judgeOutput } from "./text-output.ts";
import { startTextRun, type TextRun } from "./text-run.ts";

const textOf = ({ events }: Streamed): string => events.map((event) => textAt(event, "delta")).join("");

/** Streams the text of a run until the run has ended. */
export async function streamToEnd(context: CaseContext, { run, finish }: TextRun): Promise<Streamed> {
  const [whole] = await Promise.all([streamText(context, run), finish()]);
  const last = lastOf(whole);
  needsStream(context, last);
  if (whole.events.length === 0)
    throw new Missed("needs a run that streams text; beta.inputs.complete and beta.inputs.approval streamed none");
  return whole;
}

/** Judges that no text follows the event marked final. */
function judgeFinal({ judge, observe }: CaseContext, whole: Streamed, related: readonly Reply[]): void {
  const final = whole.events.findIndex((event) => event.final === true);
  observe("*.open.watch-end", final === -1 ? "no text event is marked final" : "a text event is marked final");
  const after = final === -1 ? 0 : whole.events.length - final - 1;
  judge(lastOf(whole), "*.text.final", related).satisfies(
    after === 0,
    "the event marked final last",
    `${after} came after it`,
    "event.final",
  );
}

export const live = defineCase({
  id: "stream/run-text-is-the-same-for-all-clients",
  says: "two clients that stream a run's text see the same events, the event marked final is the last, and the output is not the text cut short",
  clauses: ["beta.text.final", "beta.watch.same-event", "beta.runs.output"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const { setup, call, observe, target } = context;
    const heard = await startTextRun(context);
    const { run } = heard;
    const [first, second] = await Promise.all([streamToEnd(context, heard), streamText(context, run, { after: "0" })]);
    judgeSameEvents(context, second, first);
    // To the end of the stream, even past an event marked final.
    const late = await streamText(context, run, {
      isLast: () => false,
      withinMs: target.settings.patience.quietMs,
      maxStreams: 1,
    });
    for (const streamed of [first, second, late]) judgeFinal(context, streamed, []);
    judgeSameEvents(context, late, first);
    const kept = late.events.length === 0 ? "nothing" : late.events.length < first.events.length ? "some" : "all";
    observe("*.open.text-history", `of the text of a finished run ${kept} is replayed`);
    const row = rpc("beta.v1.RunService/GetRunPayload");
    await settle(context, run);
    await judgeOutput(context, run, first);
    const payload = await call(row, await setup.request(row, run));
    const output = payload.outcome === "served" ? textAt(payload.json, "payload.output.text") : "";
    observe(
      "*.open.text-assembly",
      `the fragments put together are ${textOf(first) === output ? "" : "not "}the run's output`,
    );
  },
});

export const resumed = defineCase({
  id: "stream/text-resumes-after-the-given-event",
  says: "a text stream resumed after any event sends only later events, and the same as before",
  clauses: ["beta.text.after", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const { target } = context;
    const heard = await startTextRun(context);
    const { run } = heard;
    const whole = await streamToEnd(context, heard);
    await Promise.all(
      spread(whole.events).map(async (event) => {
        const after = textAt(event, "sequence");
        if (after === "" || after === "0") return;
        const streamed = await streamText(context, run, {
          after,
          withinMs: target.settings.patience.quietMs,
          maxStreams: 1,
        });
        needsStream(context, lastOf(streamed));
        judgeAfter(context, streamed, after, whole.replies.slice(-1));
        judgeSameEvents(context, streamed, whole);
      }),
    );
  },
});

export const cut = defineCase({
  id: "stream/interrupted-text-resumes-in-order",
  says: "a client that disconnects and resumes after the last sequence it saw gets only later events, the same as a client that stays connected",
  clauses: ["beta.text.after", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const heard = await startTextRun(context);
    const [whole, pieces] = await Promise.all([
      streamToEnd(context, heard),
      streamText(context, heard.run, { cutAfter: 3, maxStreams: 200 }),
    ]);
    judgeSameEvents(context, pieces, whole);
    const sequences = pieces.events.map((event) => integerAt(event, "sequence"));
    const back = sequences.findIndex((one, index) => index > 0 && one <= (sequences[index - 1] ?? 0n));
    context
      .judge(lastOf(pieces))
      .satisfies(
        back === -1,
        "only events after the last one seen",
        `${sequences[back]} after ${sequences[back - 1]}`,
        "event.sequence",
      );
  },
});

export const ofFailedRun = defineCase({
  id: "stream/text-of-a-failed-run-is-consistent",
  says: "a client that streams the text of a failed run again gets the same events, and the event marked final is the last",
  clauses: ["beta.text.final", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const run = await startRun(context, "fail");
    const [ended, first] = await Promise.all([
      settle(context, run),
      streamText(context, run, { withinMs: 4 * context.target.settings.patience.quietMs }),
    ]);
    judgeFinal(context, first, []);
    const late = await streamText(context, run, { withinMs: context.target.settings.patience.quietMs, maxStreams: 1 });
    judgeSameEvents(context, late, first);
    context.observe(
      "*.open.watch-end",
      `a run that ended ${textAt(ended.record, "state")} streamed text: ${first.events.length > 0}`,
    );
  },
});
