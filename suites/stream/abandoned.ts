import { defineRule } from "../../harness/case.ts";
import { type CaseContext, Unproven } from "../../harness/context.ts";
import { alphaHome } from "../../harness/given/alpha.ts";
import { betaHome } from "../../harness/given/beta.ts";
import type { Subject } from "../../harness/given/subject.ts";
import { untilServed } from "../../harness/refusals.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";

/** Streams opened and dropped: twice as many as runs, a thousand at most. */
function howMany({ run }: CaseContext): number {
  return Math.min(2 * run.options.runs, 1000);
}

/** Dropped at once: more would only wait for each other. */
const atOnce = 8;

/** Something under way, so that a watch of it stays open until it is dropped. */
async function underWay(context: CaseContext): Promise<Subject> {
  const { row } = context;
  if (row.package === "alpha.v1") return alphaHome(context).startJob("slow");
  return betaHome(context).startRun("slow");
}

export const released = defineRule({
  id: "stream/abandoned-streams-are-released",
  says: "a server whose clients open streams and drop them, before or after the first bytes, goes on serving them",
  clauses: ["*.endpoints.served"],
  rows: (row) => row.effect === Effect.WATCH,
  async run(context) {
    const { row, given, call, callAndHangUp, judge, target, until } = context;
    const subject = await underWay(context);
    const request = { ...(await given.request(row, subject)), ...subject.within };
    const { baseUrl } = subject;
    const before = await call(row, request, { baseUrl, ...untilServed(row) });
    if (before.outcome !== "served" || before.messages.length === 0)
      throw new Unproven(`needs ${row.name} to show something that is under way; it was ${describeReply(before)}`);
    const fresh = () =>
      row.requestId === undefined ? request : { ...request, [row.requestId.name]: given.requestId() };
    for (let dropped = 0; dropped < howMany(context); dropped += atOnce) {
      await Promise.all(
        Array.from({ length: atOnce }, async (_, index) => {
          if (index % 4 === 0) await callAndHangUp(row, fresh(), { baseUrl });
          else await call(row, fresh(), { baseUrl, enough: () => true, listenMs: target.limits.replyMs });
        }),
      );
    }
    // A server may take a moment to see that its clients have gone.
    let last: Reply = before;
    await until(async () => {
      last = await call(row, fresh(), {
        baseUrl,
        ...untilServed(row),
        timeoutMs: Math.ceil(target.limits.replyMs / 4),
      });
      return last.outcome === "served" && last.messages.length > 0 ? last : undefined;
    }, target.limits.replyMs);
    judge(last, undefined, [before]).satisfies(
      last.outcome === "served" && last.messages.length > 0,
      `a stream like the first, after ${howMany(context)} were dropped`,
      describeReply(last),
    );
    const read = await given.read(subject);
    judge(last, undefined, [read]).satisfies(
      read.outcome === "served",
      "the subject is read as before",
      describeReply(read),
    );
  },
});
