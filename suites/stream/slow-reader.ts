import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { versionOf } from "../../harness/setup/subject.ts";
import { needed } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, isObject, type StreamMessage } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeSameEvents, lastOf } from "./run-events.ts";

/** Longer than this nobody is kept waiting, in milliseconds: a server may rightly drop a client that never reads. */
const longestHold = 4000;

/** True for the stream of a run's text, of whose past no more is promised than the server keeps. */
const isText = (row: RpcRow) => row.partialHistory;

/** True for a stream that shows each state there was, numbered; that of a job may leave out what is past. */
const showsEach = (row: RpcRow) => row.sequence !== undefined && !row.partialHistory;

/** What a stream's messages hold: jobs, or events of a run. */
function recordsOf(messages: readonly StreamMessage[]): readonly JsonObject[] {
  return messages.map(({ json }) => json.job ?? json.event).filter(isObject);
}

/** Reads a subject's stream as it comes, taken up wherever it ends early, to the last there is. */
async function readQuickly(context: CaseContext, subject: Subject, after?: string): Promise<Streamed> {
  const { row } = context;
  if (row.package === "alpha.v1") {
    const { replies, jobs } = await watchJob(context, subject, after);
    return { replies, events: jobs };
  }
  return (isText(row) ? streamText : watchRun)(context, subject, { after });
}

/** Reads a subject's stream slowly: nothing until `held` has come to pass, the rest in small pieces. What ended early is taken up. */
async function readSlowly(context: CaseContext, subject: Subject, held: Promise<unknown>): Promise<Streamed> {
  const { row, setup, call, signal, target } = context;
  const { settleMs, quietMs } = target.settings.patience;
  const isLast = (record: JsonObject) => (isText(row) ? record.final === true : isOver(record));
  const reply = await call(
    row,
    { ...(await setup.request(row, subject)), ...subject.within },
    {
      baseUrl: subject.baseUrl,
      pace: { readAfter: Promise.race([held, sleep(longestHold, signal)]), lingerMs: quietMs },
      enough: (messages) => recordsOf(messages).some(isLast),
      listenMs: longestHold + settleMs,
    },
  );
  const events = recordsOf(reply.messages);
  const slow = { replies: [reply], events };
  // A stream may end early, and is taken up then; one that says no more and does not end has to be waited for.
  const ended = reply.exchange.failure?.kind !== "abandoned";
  if (isText(row) || !ended || reply.outcome !== "served" || events.some(isLast)) return slow;
  const position = row.package === "alpha.v1" ? "resourceVersion" : "sequence";
  const rest = await readQuickly(context, subject, textAt(events.at(-1), position) || undefined);
  return { replies: [reply, ...rest.replies], events: [...events, ...rest.events] };
}

/** Judges what a slow reader was sent in all by what a quick one was. */
function judgeWhole(context: CaseContext, slow: Streamed, quick: Streamed): void {
  const { row, judge, needs, observe } = context;
  const reply = slow.replies[0] ?? lastOf(slow);
  if (quick.events.length === 0) throw new Unproven("needs a stream that shows something to who reads it quickly");
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
    // A job is shown as it is: what it was meanwhile may be left out, how it ended may not.
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
  const seen = new Set(slow.events.map(({ sequence }) => String(sequence)));
  const missing = quick.events.filter(({ sequence }) => !seen.has(String(sequence)));
  whole.satisfies(
    missing.length === 0,
    `the ${quick.events.length} events a quick reader saw`,
    `without ${missing.map(({ sequence, state }) => `${sequence} (${state})`).join(", ")}`,
  );
  judgeSameEvents(context, slow, quick);
}

/** Work that passes through several states, to its end. */
function startWork(context: CaseContext): Promise<Subject> {
  if (context.row.package === "alpha.v1") return startJob(context, "succeed");
  return startRun(context, "complete");
}

/** Pieces of work at most that are read at the end. */
const maxTries = 4;

/** Nothing is read until all has happened. What had ended when it was asked about had nothing that could wait: then once more. */
async function readAtTheEnd(context: CaseContext): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const subject = await startWork(context);
    const quick = readQuickly(context, subject);
    // What is wrong with the quick one is told below.
    const held = quick.catch(() => {});
    const [whole, slow] = await Promise.all([quick, readSlowly(context, subject, held)]);
    judgeWhole(context, slow, whole);
    if (slow.events.length > 1) return;
  }
}

/** Events that come while the reader waits; what follows comes while it reads. */
const before = 3;

/** Nothing is read until some of it has happened: what is left out then shows, though the stream goes on. */
async function readMidway(context: CaseContext): Promise<void> {
  const subject = await startWork(context);
  const midway = Promise.withResolvers<void>();
  const shown = new Set<string>();
  const isLast = (event: JsonObject) => {
    shown.add(String(event.sequence));
    if (shown.size >= before) midway.resolve();
    return isOver(event);
  };
  const [whole, slow] = await Promise.all([
    watchRun(context, subject, { isLast }).finally(midway.resolve),
    readSlowly(context, subject, midway.promise),
  ]);
  judgeWhole(context, slow, whole);
}

export const losesNothing = defineRule({
  id: "stream/slow-reader-loses-nothing",
  says: "a client that lets a stream wait while things happen, and reads on then, is sent all that a quick one is",
  clauses: ["*.watch.no-loss", "*.watch.same-event", "*.records.agree", "connect.stream.end", "connect.whole-reply"],
  rows: (row) => row.stream && row.effect === Effect.WATCH,
  async run(context) {
    await Promise.all([readAtTheEnd(context), showsEach(context.row) ? readMidway(context) : undefined]);
  },
});

export const outputEnds = defineRule({
  id: "stream/slow-reader-sees-the-end-of-output",
  says: "a fixture stream that is let wait until its twin has ended comes to its own end, messages and all",
  clauses: ["connect.stream.end", "connect.whole-reply", "*.endpoints.served"],
  rows: (row) => row.stream && row.fixture,
  async run(context) {
    const { row, setup, call, judge, needs, signal, target } = context;
    const input = needed(
      target.alpha.fixtureInputs.stream,
      "alpha.fixtureInputs.stream",
      "an input that makes the stream send several messages",
    );
    const twin = (async () => call(row, { ...(await setup.request(row, undefined)), input }))();
    const { quietMs } = target.settings.patience;
    // Begun at the same time it has ended by then, too, or nearly so.
    const late = twin.then(
      () => sleep(quietMs / 4, signal),
      () => {},
    );
    const held = Promise.race([late, sleep(longestHold, signal)]);
    const own = { ...(await setup.request(row, undefined)), input };
    const pace = { readAfter: held, lingerMs: quietMs };
    const [quick, slow] = await Promise.all([twin, call(row, own, { pace })]);
    needs(quick);
    judge(slow, "*.endpoints.served", [quick]).satisfies(
      slow.outcome === "served" && slow.messages.length > 0,
      "messages, as its twin was sent",
      describeReply(slow),
    );
  },
});
