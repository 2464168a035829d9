import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Missed, Unproven } from "../../harness/case/unproven.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { passEndedUnwatched } from "../../harness/setup/ended-watches.ts";
import { versionOf } from "../../harness/setup/subject.ts";
import { needed } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, isObject, type StreamMessage } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeNoLoss as judgeEveryEvent, judgeSameEvents, lastOf } from "./run-events.ts";
import { startTextRun } from "./text-run.ts";

/** How long a reader stops reading at most, in milliseconds: a server may rightly drop a client that never reads. */
const maxPauseMs = 4000;

/** True for the stream of a run's text, of which a server need not keep the past. */
const isText = (row: RpcRow) => row.partialHistory;

/** True for a stream of numbered events, which shows every state; a watch of a job may skip past states. */
const showsEach = (row: RpcRow) => row.sequence !== undefined && !row.partialHistory;

/** The jobs, or events of a run, in a stream's messages. */
function recordsOf(messages: readonly StreamMessage[]): readonly JsonObject[] {
  return messages.map(({ json }) => json.job ?? json.event).filter(isObject);
}

/** Reads a subject's stream without pauses to its end, and resumes it where it ends early. */
async function readQuickly(context: CaseContext, subject: Subject, after?: string): Promise<Streamed> {
  const { row } = context;
  if (row.package === "alpha.v1") {
    const { replies, jobs } = await watchJob(context, subject, after);
    return { replies, events: jobs };
  }
  return (isText(row) ? streamText : watchRun)(context, subject, { after });
}

/** Reads a subject's stream slowly: nothing until `pause` settles, the rest in small pieces. A stream that ends early is resumed. */
async function readSlowly(context: CaseContext, subject: Subject, pause: Promise<unknown>): Promise<Streamed> {
  const { row, setup, call, signal, target } = context;
  const { settleMs, quietMs } = target.settings.patience;
  const isLast = (record: JsonObject) => (isText(row) ? record.final === true : isOver(record));
  const reply = await call(
    row,
    { ...(await setup.request(row, subject)), ...subject.within },
    {
      baseUrl: subject.baseUrl,
      pace: { readAfter: Promise.race([pause, sleep(maxPauseMs, signal)]), lingerMs: quietMs },
      enough: (messages) => recordsOf(messages).some(isLast),
      listenMs: maxPauseMs + settleMs,
    },
  );
  await passEndedUnwatched(context, reply);
  const events = recordsOf(reply.messages);
  const slow = { replies: [reply], events };
  // A stream that ended early is resumed; one that stays open without messages is not.
  const ended = reply.exchange.failure?.kind !== "abandoned";
  if (isText(row) || !ended || reply.outcome !== "served" || events.some(isLast)) return slow;
  const position = row.package === "alpha.v1" ? "resourceVersion" : "sequence";
  const rest = await readQuickly(context, subject, textAt(events.at(-1), position) || undefined);
  return { replies: [reply, ...rest.replies], events: [...events, ...rest.events] };
}

/** Judges that a slow reader got everything a quick one did. */
function judgeNoLoss(context: CaseContext, slow: Streamed, quick: Streamed): void {
  const { row, judge, needs, observe } = context;
  const reply = slow.replies[0] ?? lastOf(slow);
  // What a run said before anybody listened need not be shown: another one may be heard.
  if (quick.events.length === 0) throw new Missed("needs a stream that shows something to a quick reader");
  if (isText(row)) {
    needs(reply);
    judgeSameEvents(context, slow, quick);
    const fewer = slow.events.length < quick.events.length;
    observe("*.open.text-history", `a slow reader is sent ${fewer ? "less of" : "all of"} a run's text`);
    return;
  }
  const end = quick.events.find(isOver);
  if (end === undefined) throw new Unproven("needs work that ends within patience.settleMs");
  const whole = judge(reply, "*.watch.no-loss", quick.replies.slice(-1));
  if (row.package === "alpha.v1") {
    // A watch of a job may skip intermediate states, but not its end.
    whole.satisfies(
      slow.events.some(isOver),
      `the end of the job, ${textAt(end, "state")} at version ${versionOf(end)}`,
      describeReply(reply),
    );
    const states = new Map(quick.events.map((job) => [versionOf(job), textAt(job, "state")]));
    const wrong = slow.events.find((job) => (states.get(versionOf(job)) ?? job.state) !== job.state);
    judge(reply, "*.records.agree", quick.replies.slice(-1)).satisfies(
      wrong === undefined,
      `${states.get(versionOf(wrong ?? {}))} at version ${versionOf(wrong ?? {})}, as a quick reader saw it`,
      textAt(wrong, "state"),
      "job.state",
    );
    return;
  }
  judgeEveryEvent(context, slow, quick.events, quick.replies.slice(-1));
  judgeSameEvents(context, slow, quick);
}

/** Starts work that passes through several states to its end. */
function startWork(context: CaseContext): Promise<Subject> {
  if (context.row.package === "alpha.v1") return startJob(context, "succeed");
  return startRun(context, "complete");
}

/** Starts work whose stream has something to show, and lets it go on once streams are open. */
async function startShown(context: CaseContext): Promise<{ subject: Subject; finish: () => Promise<void> }> {
  if (!isText(context.row)) return { subject: await startWork(context), finish: async () => {} };
  const { run, finish } = await startTextRun(context);
  return { subject: run, finish };
}

/** How often work is started anew where the stream had nothing to hold back. */
const maxTries = 4;

/** Reads nothing until the work has ended. Work that had ended before the stream began left nothing to hold back: then tries again. */
async function readAtTheEnd(context: CaseContext): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const { subject, finish } = await startShown(context);
    const quick = readQuickly(context, subject);
    // Promise.all below reports a failure of the quick reader.
    const pause = quick.catch(() => {});
    const [whole, slow] = await Promise.all([quick, readSlowly(context, subject, pause), finish()]);
    judgeNoLoss(context, slow, whole);
    if (slow.events.length > 1) return;
  }
}

/** Events that come while the reader waits; the others come while it reads. */
const eventsBeforeReading = 3;

/** Reads nothing until the first events were sent, and shows what is lost although the stream continues. */
async function readMidway(context: CaseContext): Promise<void> {
  const subject = await startWork(context);
  const midway = Promise.withResolvers<void>();
  const shown = new Set<string>();
  const isLast = (event: JsonObject) => {
    shown.add(String(event.sequence));
    if (shown.size >= eventsBeforeReading) midway.resolve();
    return isOver(event);
  };
  const [whole, slow] = await Promise.all([
    watchRun(context, subject, { isLast }).finally(midway.resolve),
    readSlowly(context, subject, midway.promise),
  ]);
  judgeNoLoss(context, slow, whole);
}

export const losesNothing = defineRule({
  id: "stream/slow-reader-loses-nothing",
  says: "a client that stops reading a stream for a while, and then reads on, gets everything that a quick reader gets",
  clauses: ["*.watch.no-loss", "*.watch.same-event", "*.records.agree", "connect.stream.end", "connect.whole-reply"],
  rows: (row) => row.stream && row.effect === Effect.WATCH,
  async run(context) {
    await Promise.all([readAtTheEnd(context), showsEach(context.row) ? readMidway(context) : undefined]);
  },
});

export const completeOutput = defineRule({
  id: "stream/slow-reader-sees-the-end-of-output",
  says: "a fixture stream whose client does not read until a quick reader's stream has ended is complete nevertheless",
  clauses: ["connect.stream.end", "connect.whole-reply", "*.endpoints.served"],
  rows: (row) => row.stream && row.fixture,
  async run(context) {
    const { row, setup, call, judge, needs, signal, target } = context;
    const input = needed(
      target.alpha.fixtureInputs.stream,
      "alpha.fixtureInputs.stream",
      "an input that makes the stream send several messages",
    );
    const quickReader = (async () => call(row, { ...(await setup.request(row, undefined)), input }))();
    const { quietMs } = target.settings.patience;
    // Both streams began at the same time, so the slow one has ended by then, or nearly so.
    const late = quickReader.then(
      () => sleep(quietMs / 4, signal),
      () => {},
    );
    const pause = Promise.race([late, sleep(maxPauseMs, signal)]);
    const own = { ...(await setup.request(row, undefined)), input };
    const pace = { readAfter: pause, lingerMs: quietMs };
    const [quick, slow] = await Promise.all([quickReader, call(row, own, { pace })]);
    needs(quick);
    judge(slow, "*.endpoints.served", [quick]).satisfies(
      slow.outcome === "served" && slow.messages.length > 0,
      "messages, as the quick reader got",
      describeReply(slow),
    );
  },
});
