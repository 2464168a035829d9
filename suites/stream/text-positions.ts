import { defineCase } from "../../harness/case/case.ts";
import { type Streamed, streamText } from "../../harness/setup/beta/run-stream.ts";
import { integerAt } from "../../harness/setup/integer.ts";
import { textAt } from "../../harness/wire/json.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { needsStream } from "../common/silent.ts";
import { judgeAfter, lastOf, spread } from "./run-events.ts";
import { streamToEnd } from "./run-text.ts";
import { startTextRun } from "./text-run.ts";

export const asUser = defineCase({
  id: "stream/users-text-resumes-after-the-given-event",
  says: "a text stream that a customer user's browser token resumes, while the run goes on and after its end, sends only later events",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const { row, setup, judge, target } = context;
    const heard = await startTextRun(context);
    const { run } = heard;
    const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, run);
    const [whole, pieces] = await Promise.all([
      streamToEnd(context, heard),
      streamText(context, run, { cutAfter: 3, maxStreams: 200, as }),
    ]);
    const sequences = pieces.events.map((event) => integerAt(event, "sequence"));
    const back = sequences.findIndex((one, index) => index > 0 && one <= (sequences[index - 1] ?? 0n));
    judge(lastOf(pieces), undefined, whole.replies.slice(-1)).satisfies(
      back === -1,
      "only events after the last one seen",
      `${sequences[back]} after ${sequences[back - 1]}`,
      "event.sequence",
    );
    await Promise.all(
      spread(whole.events).map(async (event) => {
        const after = textAt(event, "sequence");
        if (after === "" || after === "0") return;
        const late = { after, as, withinMs: target.settings.patience.quietMs, maxStreams: 1 };
        const streamed = await streamText(context, run, late);
        const reply = lastOf(streamed);
        needsStream(context, reply);
        judgeAfter(context, streamed, after, whole.replies.slice(-1));
      }),
    );
  },
});

/** The largest sequence there can be. */
const largest = 2n ** 64n - 1n;

/** Sequences far after those of a run, that a careless reading takes for one before their end: in 32 bits, as a double, with a sign. */
function farSequences(events: Streamed["events"]): readonly string[] {
  const own = spread(events).map((event) => integerAt(event, "sequence"));
  const [first = 0n] = own;
  const far = [2n ** 32n, ...own.map((one) => one + 2n ** 32n), 2n ** 53n + 1n, first + 2n ** 63n, largest];
  return [...new Set(far.filter((one) => one <= largest))].map(String);
}

export const far = defineCase({
  id: "stream/text-after-a-large-sequence-shows-nothing-before-it",
  says: "a text stream after a sequence of 32 bits and more, which the run has not reached, shows no event at or before it, or is refused",
  clauses: ["beta.text.after"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    const { needs, target } = context;
    const heard = await startTextRun(context);
    const { run } = heard;
    const { quietMs } = target.settings.patience;
    const ask = async (after: string) => {
      const streamed = await streamText(context, run, { after, withinMs: quietMs, maxStreams: 1 });
      const reply = lastOf(streamed);
      // That a run has come so far may be checked.
      if (reply.outcome === "broken" && reply.exchange.failure?.kind !== "abandoned") needs(reply);
      return { streamed, after };
    };
    // While the run goes on, too: text may not be kept for those who come later.
    const early = [2n ** 32n, largest].map((after) => ask(String(after)));
    const [whole, ...live] = await Promise.all([streamToEnd(context, heard), ...early]);
    const late = await Promise.all(farSequences(whole.events).map(ask));
    for (const { streamed, after } of [...live, ...late]) judgeAfter(context, streamed, after, whole.replies.slice(-1));
  },
});
