import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";
import { untilServed } from "../common/refusals.ts";
import { lastOf } from "./run-events.ts";

/** Streams opened and dropped: twice as many as runs, a thousand at most. */
function howMany({ run }: CaseContext): number {
  return Math.min(2 * run.propertyRuns, 1000);
}

/** Dropped at once: more would only wait for each other. */
const concurrency = 8;

/** Something under way, so that a watch of it stays open until it is dropped. */
async function underWay(context: CaseContext): Promise<Subject> {
  const { row } = context;
  if (row.package === "alpha.v1") return startJob(context, "slow");
  return startRun(context, "slow");
}

const shows = (reply: Reply) => reply.outcome === "served" && reply.messages.length > 0;

/** Streams the text of a new run, of three at most: what keeps no text shows only what is said from then on. */
async function showText(context: CaseContext): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const { replies } = await streamText(context, await startRun(context, "complete"));
    const last = replies.findLast(shows) ?? lastOf({ replies, events: [] });
    if (shows(last) || tries === 3) return last;
  }
}

export const released = defineRule({
  id: "stream/abandoned-streams-are-released",
  says: "a server whose clients open streams and drop them, before or after the first bytes, goes on serving them",
  clauses: ["*.endpoints.served"],
  rows: (row) => row.effect === Effect.WATCH,
  async run(context) {
    const { row, setup, call, callAndHangUp, judge, target, poll } = context;
    const subject = await underWay(context);
    const request = { ...(await setup.request(row, subject)), ...subject.within };
    const { baseUrl } = subject;
    const fresh = () =>
      row.requestId === undefined ? request : { ...request, [row.requestId.name]: setup.requestId() };
    const { replyMs } = target.limits;
    const { quietMs } = target.settings.patience;
    /** Watches again and again until something is shown: a stream may end while there is nothing to show yet. */
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
    // What was said of a run need not be said again: where it is not, only another run has something to say.
    const kept = !row.partialHistory || (shows(first) && shows(await watch(quietMs)));
    const show = () => (kept ? watch(replyMs) : showText(context));
    const before = kept ? first : await show();
    if (!shows(before))
      throw new Unproven(`needs ${row.name} to show something that is under way; it was ${describeReply(before)}`);
    for (let dropped = 0; dropped < howMany(context); dropped += concurrency) {
      await Promise.all(
        Array.from({ length: concurrency }, async (_, index) => {
          if (index % 4 === 0) await callAndHangUp(row, fresh(), { baseUrl });
          else await call(row, fresh(), { baseUrl, enough: () => true, listenMs: quietMs });
        }),
      );
    }
    // A server may take a moment to see that its clients have gone.
    const last = await show();
    // Text that was still being said when it was looked for twice need not be kept either: its stream may end with nothing.
    if (!shows(last) && row.partialHistory && (!kept || last.outcome === "served"))
      throw new Unproven("needs a run whose text is heard after the others were dropped, too");
    judge(last, undefined, [before]).satisfies(
      shows(last),
      `a stream like the first, after ${howMany(context)} were dropped`,
      describeReply(last),
    );
    const read = await setup.read(subject);
    judge(last, undefined, [read]).satisfies(
      read.outcome === "served",
      "the subject is read as before",
      describeReply(read),
    );
  },
});
