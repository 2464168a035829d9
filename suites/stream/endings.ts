import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { cancelRun, startRun } from "../../harness/setup/beta/run.ts";
import { isEndedUnwatched } from "../../harness/setup/ended-watches.ts";
import { waitForEnd } from "../../harness/setup/watch-wait.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isObject, type Reply, type StreamMessage } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";

/** How long the end of a stream is waited for once it has shown the last there is, in milliseconds. */
const lingerMs = 2000;

/** How long a stream of work that goes on is listened to, in milliseconds: what keeps a silent one open comes after seconds. */
const openMs = 5000;

/** How work comes to its end, and by what the target file starts it in each package; alpha has no outcome that is unknown. */
const endings = ["complete", "fail", "unknown", "cancel"] as const;
type Ending = (typeof endings)[number];
const jobScripts = { complete: "succeed", fail: "fail", cancel: "slow" } as const;

const isAlpha = ({ row }: CaseContext) => row.package === "alpha.v1";
const watches = (row: RpcRow) => row.stream && row.effect === Effect.WATCH;

async function startWork(context: CaseContext, ending: Ending): Promise<Subject | undefined> {
  if (!isAlpha(context)) return startRun(context, ending === "cancel" ? "slow" : ending);
  return ending === "unknown" ? undefined : startJob(context, jobScripts[ending]);
}

/** Waits for the end of work, which nothing but a cancellation brings about where it goes on. */
async function bringToEnd(context: CaseContext, work: Subject, ending: Ending): Promise<void> {
  if (ending === "cancel") await cancel(context, work);
  await settle(context, work);
}

async function cancel(context: CaseContext, work: Subject): Promise<void> {
  if (isAlpha(context)) await callCurrent({ ...context, row: rpc("alpha.v1.JobService/CancelJob") }, work);
  else await cancelRun(context, work);
}

/** Cancels work after a while; how long it goes on by itself is the target's choice. */
async function cancelLater(context: CaseContext, work: Subject): Promise<void> {
  await sleep(openMs, context.signal);
  const now = await context.setup.current(work);
  // It may end by itself meanwhile: that its stream was open for a while is all that is asked of it.
  if (now !== undefined && !isOver(now.record)) await orUndefined(cancel(context, now));
}

const recordsOf = (messages: readonly StreamMessage[]): readonly JsonObject[] =>
  messages.map(({ json }) => json.job ?? json.event).filter(isObject);

/** Reads a stream past the last it shows to where it ends, or is open after all that time. */
async function readToEnd(
  { row, setup, call }: CaseContext,
  work: Subject,
  listenMs: number,
  headers: NonNullable<CallOptions["headers"]> = [],
): Promise<Reply> {
  const isLast = (record: JsonObject) => (row.partialHistory ? record.final === true : isOver(record));
  return call(
    row,
    { ...(await setup.request(row, work)), ...work.within },
    {
      baseUrl: work.baseUrl,
      pace: { readAfter: Promise.resolve(), lingerMs },
      enough: (messages) => recordsOf(messages).some(isLast),
      listenMs,
      headers,
    },
  );
}

/** An offer to take messages in gzip, the last one too. */
const offer = [["connect-accept-encoding", "gzip"]] as const;

const hasEnded = ({ exchange }: Reply) => exchange.failure?.kind !== "abandoned";

/** Streams work while it comes to its end, and after it, once as usual and once with an offer of gzip. */
async function streamWork(context: CaseContext, ending: Ending): Promise<readonly Reply[]> {
  const work = await startWork(context, ending);
  if (work === undefined) return [];
  // Whether the text of work that does not succeed is marked final is open: its stream is read afterwards only.
  const isShown = !context.row.partialHistory || ending === "complete";
  const wait = waitForEnd(context, work, context.target.settings.patience.settleMs, isShown);
  const [live] = await Promise.all([
    isShown ? readToEnd(context, work, wait.leftMs) : undefined,
    bringToEnd(context, work, ending),
  ]);
  const late = await Promise.all([readToEnd(context, work, lingerMs), readToEnd(context, work, lingerMs, offer)]);
  return [...(live === undefined ? [] : [live]), ...late];
}

export const wholeEnd = defineRule({
  id: "stream/streams-end-with-an-end-stream",
  says: "a stream that ends by itself, as its work succeeds, fails or is canceled, or after that, ends with an end-stream",
  // An invariant judges every stream that was read to its end.
  clauses: ["connect.stream.end", "connect.stream.end-shape", "connect.whole-reply", "*.open.watch-end"],
  rows: watches,
  async run(context) {
    const { needs, observe } = context;
    const replies = (await Promise.all(endings.map((ending) => streamWork(context, ending)))).flat();
    const ended = replies.filter(hasEnded);
    observe("*.open.watch-end", `${ended.length === 0 ? "no stream ends" : "streams end"} with the work they show`);
    if (ended.length === 0) throw new ChosenOtherwise("the streams of work that has ended stay open");
    for (const reply of ended) if (!(await isEndedUnwatched(context, reply))) needs(reply);
  },
});

export const longOpen = defineRule({
  id: "stream/long-open-streams-keep-their-form",
  says: "what a stream sends once it has been open for seconds, to keep it open or to say that nothing is new, is of its form too",
  // Invariants judge every message, and where the stream ends every byte of it.
  waits: true,
  clauses: [
    "*.endpoints.served",
    "*.endpoints.envelopes",
    "connect.stream.envelopes",
    "*.watch.one-of",
    "*.watch.heartbeat",
    "*.watch.shape",
    "*.open.heartbeats",
  ],
  rows: watches,
  async run(context) {
    const { row, needs, judge, observe } = context;
    const work = await startWork(context, "cancel");
    if (work === undefined) return;
    const [reply] = await Promise.all([readToEnd(context, work, openMs + lingerMs), cancelLater(context, work)]);
    needs(reply);
    judge(reply).isServed();
    if (row.package !== "alpha.v1") return;
    const beats = reply.messages.filter(({ json, at }) => isObject(json.heartbeat) && at > openMs / 2);
    observe("*.open.heartbeats", `a watch ${beats.length > 0 ? "sends heartbeats" : "has no heartbeat"} after seconds`);
  },
});
