import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { Effect } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { lastOf } from "./run-events.ts";
import { startTextRun } from "./text-run.ts";

/** How many streams are opened and abandoned: two per property run, a thousand at most. */
function streamCount({ run }: CaseContext): number {
  return Math.min(2 * run.propertyRuns, 1000);
}

/** How long a run says what it begins with, in milliseconds: by then a text that is not kept is over. */
const saidMs = 1500;

/** Streams abandoned concurrently: more would only wait for each other. */
const concurrency = 8;

/** Work in progress, so that a watch of it stays open until it is abandoned. */
async function startSlowWork(context: CaseContext): Promise<Subject> {
  const { row } = context;
  if (row.package === "alpha.v1") return startJob(context, "slow");
  return startRun(context, "slow");
}

const shows = (reply: Reply) => reply.outcome === "served" && reply.messages.length > 0;

/** True for a stream that was answered and shows nothing. */
function isSilent({ outcome, exchange }: Reply): boolean {
  return outcome === "served" || (exchange.failure?.kind === "abandoned" && exchange.response !== undefined);
}

/** Whether a stream that was read shows something again, at once and once what was being said then is over. */
async function showsLater({ signal }: CaseContext, watch: () => Promise<Reply>): Promise<boolean> {
  if (!shows(await watch())) return false;
  await sleep(saidMs, signal);
  return shows(await watch());
}

/** Streams the text of a new run, of up to three: a server that keeps no text shows only what is generated from then on. */
async function streamNewText(context: CaseContext): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const { run, finish } = await startTextRun(context);
    const [{ replies }] = await Promise.all([streamText(context, run), finish()]);
    const last = replies.findLast(shows) ?? lastOf({ replies });
    if (shows(last) || tries === 3) return last;
  }
}

export const released = defineRule({
  id: "stream/abandoned-streams-are-released",
  says: "a server keeps serving after clients opened and abandoned streams, before or after the first bytes",
  waits: true,
  clauses: ["*.endpoints.served"],
  rows: (row) => row.effect === Effect.WATCH,
  async run(context) {
    const { row, setup, call, callAndHangUp, judge, target, poll } = context;
    const subject = await startSlowWork(context);
    const request = { ...(await setup.request(row, subject)), ...subject.within };
    const { baseUrl } = subject;
    const fresh = () => ({ ...request, ...freshRequestId(row, setup) });
    const { replyMs } = target.limits;
    const { quietMs } = target.settings.patience;
    /** Watches repeatedly until a message comes: a stream may end while there is nothing to show yet. */
    const watch = async (listenMs: number) => {
      const options = { baseUrl, ...untilServed(row), listenMs };
      let last = await call(row, fresh(), options);
      await poll(async () => {
        if (!shows(last)) last = await call(row, fresh(), options);
        return shows(last) ? last : undefined;
      }, listenMs);
      return last;
    };
    const first = await watch(replyMs);
    // Text that was streamed need not be streamed again: where it is not, only a new run has text to show.
    const repeats = !row.partialHistory || (shows(first) && (await showsLater(context, () => watch(quietMs))));
    const show = () => (repeats ? watch(replyMs) : streamNewText(context));
    // Of a text, how it is heard is learnt while streams are served.
    const before = repeats && !row.partialHistory ? first : await streamNewText(context);
    if (!shows(before))
      throw new Unproven(`needs ${row.name} to show work in progress; it was ${describeReply(before)}`);
    for (let abandoned = 0; abandoned < streamCount(context); abandoned += concurrency) {
      await Promise.all(
        Array.from({ length: concurrency }, async (_, index) => {
          if (index % 4 === 0) await callAndHangUp(row, fresh(), { baseUrl });
          else await call(row, fresh(), { baseUrl, enough: () => true, listenMs: quietMs });
        }),
      );
    }
    // A server may take a moment to notice that its clients have gone.
    const again = await show();
    // Text still in progress when it was streamed twice need not be kept either: a new run has text to show.
    const last = row.partialHistory && !shows(again) && isSilent(again) ? await streamNewText(context) : again;
    if (!shows(last) && row.partialHistory && isSilent(last))
      throw new Unproven("needs a run whose text is streamed after the others were abandoned, too");
    judge(last, undefined, [before]).satisfies(
      shows(last),
      `a stream like the first, after ${streamCount(context)} were abandoned`,
      describeReply(last),
    );
    // The job may be younger than what a reading that lags behind knows.
    const read = await lookUntil(
      context,
      () => setup.read(subject),
      ({ outcome }) => outcome === "served",
    );
    judge(last, undefined, [read]).satisfies(
      read.outcome === "served",
      "a read of the subject is served, as before",
      describeReply(read),
    );
  },
});
