import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { cancelRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { startLasting, startTogether } from "../../harness/setup/beta/session-runs.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { isOver } from "../../harness/wire/states.ts";
import { rpc } from "../../proto/rpcs.ts";
import { lastOf } from "./run-events.ts";
import { judgeEnd } from "./run-watch.ts";
import { heardScript } from "./text-run.ts";

/** Judges that no event of a stream has the id of an event of another run's. */
function judgeOwnEvents({ judge }: CaseContext, shown: Streamed, other: Streamed): void {
  const idOf = (event: Streamed["events"][number]) => textAt(event, "eventId.value").toLowerCase();
  const known = new Set(other.events.map(idOf));
  const shared = shown.events.find((event) => idOf(event) !== "" && known.has(idOf(event)));
  judge(lastOf(shown), "*.wire.uuid-unique", [lastOf(other)]).satisfies(
    shared === undefined,
    "events that are not those of another run of the session",
    showJson(shared),
    "event.eventId",
  );
}

/** How long a run is waited for that a watch showed to have ended, in milliseconds: a reading may lag behind. */
const maxLagMs = 5000;

/** Judges that a watch of a run that goes on does not show an end it did not come to. */
async function judgeGoesOn(context: CaseContext, run: Subject, watched: Streamed): Promise<void> {
  const { judge, poll, setup } = context;
  const shown = watched.events.find(isOver);
  const look = async () => (isOver(recordIn(await setup.read(run))) ? true : undefined);
  const isSo = shown === undefined || (await poll(look, maxLagMs)) === true;
  judge(lastOf(watched), "*.watch.current").satisfies(
    isSo,
    "no end of a run that goes on, as GetRun shows it",
    showJson(shown),
    "event.state",
  );
}

export const watchedApart = defineCase({
  id: "stream/runs-of-one-session-are-watched-apart",
  says: "of two runs that go on in one session a watch of one that is canceled shows its end, and a watch of the other does not",
  clauses: ["beta.watch.current", "beta.watch.no-loss", "beta.wire.uuid-unique"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { target } = context;
    const [own, other] = await startLasting(context);
    const { quietMs, settleMs } = target.settings.patience;
    const [canceled] = await Promise.all([watchRun(context, own, { withinMs: 2 * settleMs }), cancelRun(context, own)]);
    await judgeEnd(context, own, canceled);
    const left = await watchRun(context, other, { isLast: isOver, withinMs: quietMs, maxStreams: 1 });
    await judgeGoesOn(context, other, left);
    judgeOwnEvents(context, left, canceled);
  },
});

/** Two words that no run says by itself: one that is ASCII, and one that is not. */
function wordsOf({ random }: CaseContext): readonly [string, string] {
  const letters = [...random.token(8)].map((letter) =>
    String.fromCodePoint(0x3b1 + ((letter.codePointAt(0) ?? 0) % 17)),
  );
  return [random.token(8), letters.join("")];
}

const shows = (text: string, words: readonly string[]) => words.some((word) => text.includes(word));

const payloadRow = rpc("beta.v1.RunService/GetRunPayload");

/** Judges that neither the text nor the output of a run is that of another of its session, by what each was told. */
async function judgeOwnText(
  context: CaseContext,
  run: Subject,
  streamed: Streamed,
  [own, others]: readonly [readonly string[], readonly string[]],
): Promise<void> {
  const { call, judge, setup } = context;
  const text = streamed.events.map((event) => textAt(event, "delta")).join("");
  const payload = await call(payloadRow, await setup.request(payloadRow, run));
  const output = payload.outcome === "served" ? textAt(payload.json, "payload.output.text") : "";
  // A run may know what was said in its session before: it then speaks of its own input, too, and so does its output.
  const isMixed = shows(text, others) && !(shows(text, own) && (payload.outcome !== "served" || shows(output, others)));
  const expected = (what: string) => `${what} that speaks of ${own.join(" ")}, which its input says, or of neither`;
  judge(lastOf(streamed), undefined, [payload]).satisfies(!isMixed, expected("text"), showJson(text), "event.delta");
  judge(payload, undefined, streamed.replies.slice(-1)).satisfies(
    shows(output, own) || !shows(output, others),
    expected("an output"),
    showJson(output),
    "payload.output.text",
  );
}

export const streamedApart = defineCase({
  id: "stream/runs-of-one-session-are-streamed-apart",
  says: "of two runs that are begun in one session at once, neither says in its text or its output what the other was told",
  clauses: ["beta.runs.own", "beta.wire.uuid-unique"],
  rpc: "beta.v1.RunService/StreamRunText",
  async run(context) {
    if ((await heardScript(context)) !== "complete")
      throw new ChosenOtherwise("runs have said all their text before anybody listens");
    const words = [wordsOf(context), wordsOf(context)] as const;
    const runs = await startTogether(context, [
      { script: "complete", words: words[0].join(" ") },
      { script: "complete", words: words[1].join(" ") },
    ]);
    const withinMs = 4 * context.target.settings.patience.quietMs;
    const [first, second] = await Promise.all([
      streamText(context, runs[0], { withinMs }),
      streamText(context, runs[1], { withinMs }),
    ]);
    await Promise.all(runs.map((run) => settle(context, run)));
    if (first.events.length === 0 || second.events.length === 0)
      throw new ChosenOtherwise("the text of two runs of a session is not heard by who listens once both were begun");
    judgeOwnEvents(context, first, second);
    await judgeOwnText(context, runs[0], first, [words[0], words[1]]);
    await judgeOwnText(context, runs[1], second, [words[1], words[0]]);
  },
});
