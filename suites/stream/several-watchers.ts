import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { versionNumber } from "../../harness/oracles/watch.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { describeReply, isObject, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { rpc } from "../../proto/rpcs.ts";

const cancelJob = rpc("alpha.v1.JobService/CancelJob");

/** How many watch one job at a time. */
const watchers = 3;

/** How long all of them listen, and how much longer than another one a stream may be without what that was shown, in milliseconds. */
interface Patience {
  readonly listenMs: number;
  /** When the work is ended, where it can be: changes may follow each other so fast that each watcher is shown one of the last. */
  readonly endMs: number;
  readonly lagMs: number;
}

/** The second is for who was late by the first: with another job, and with more time. */
const patiences: readonly [Patience, Patience] = [
  { listenMs: 3000, endMs: 1500, lagMs: 1000 },
  { listenMs: 11_000, endMs: 6000, lagMs: 4000 },
];

/** What is watched: by which RPC, how it is begun so that it goes on, and how its messages are numbered. */
interface Watched {
  readonly what: "job" | "run";
  readonly rpc: string;
  readonly clause: string;
  start(context: CaseContext): Promise<Subject>;
  /** Ends it before its time, and tells all who watch of it. A target may refuse that. */
  end?(context: CaseContext, work: Subject): Promise<Reply>;
  numberIn(message: JsonObject): bigint | undefined;
}

const watched: readonly Watched[] = [
  {
    what: "job",
    rpc: "alpha.v1.JobService/WatchJob",
    clause: "alpha.watch.no-loss",
    start: (context) => startJob(context, "slow"),
    end: (context, job) =>
      callAsItIsNow(context, job, async (current) =>
        context.call(cancelJob, await context.setup.request(cancelJob, current), { baseUrl: job.baseUrl }),
      ),
    numberIn: ({ job }) => (isObject(job) ? versionNumber(job.resourceVersion) : undefined),
  },
  {
    what: "run",
    rpc: "beta.v1.RunService/WatchRun",
    clause: "beta.watch.no-loss",
    start: (context) => startRun(context, "slow"),
    numberIn: ({ event }) => (isObject(event) ? versionNumber(event.sequence) : undefined),
  },
];

/** What a stream of a watch showed. */
interface Look {
  readonly reply: Reply;
  /** Versions of a job, or events of a run by their sequences, with when each came, in milliseconds since the stream was asked for. */
  readonly shown: readonly { readonly number: bigint; readonly at: number }[];
  /** How long it was listened to, or was open, in milliseconds. */
  readonly openMs: number;
}

function lookAt(reply: Reply, { numberIn }: Watched): Look {
  const shown = reply.messages.flatMap(({ json, at }) => {
    const number = numberIn(json);
    return number === undefined ? [] : [{ number, at }];
  });
  return { reply, shown, openMs: reply.exchange.durationMs };
}

/** Streams of one job or run that are open at a time. None is resumed, and none leaves before the others. */
async function watchTogether(
  context: CaseContext,
  subject: Watched,
  { listenMs, endMs }: Patience,
): Promise<readonly Look[]> {
  const { row, setup, call, signal } = context;
  const work = await subject.start(context);
  const request = { ...(await setup.request(row, work)), ...work.within };
  const options = { baseUrl: work.baseUrl, listenMs };
  const watches = Promise.all(Array.from({ length: watchers }, () => call(row, request, options)));
  const end = async () => {
    await sleep(endMs, signal);
    await subject.end?.(context, work);
  };
  const [replies] = await Promise.all([watches, end()]);
  // Who refuses a further watcher says so; a connection that broke is for other cases to judge.
  return replies
    .filter(({ outcome, exchange: { failure } }) =>
      outcome === "broken" ? failure?.kind === "abandoned" : outcome === "served",
    )
    .map((reply) => lookAt(reply, subject));
}

/** A stream that was open, and went without what another had been shown long before; and that other one. */
function findStarved(looks: readonly Look[], { lagMs }: Patience) {
  for (const other of looks) {
    for (const one of looks) {
      const late = other.shown.filter(({ at }) => at + lagMs <= one.openMs);
      const missed = late.find(({ number }) => one.shown.every((own) => own.number < number));
      if (missed !== undefined) return { one, other, missed };
    }
  }
  return undefined;
}

/** What three watchers came to: looks at them, and who of them starved. Throws ChosenOtherwise where they tell nothing. */
async function lookTogether(context: CaseContext, subject: Watched, patience: Patience) {
  const looks = await watchTogether(context, subject, patience);
  const [first] = looks;
  // The differential: what none is shown, or one alone is served, says nothing of several.
  if (first === undefined || looks.length < 2) throw new ChosenOtherwise(`a ${subject.what} has one watcher at a time`);
  if (looks.every(({ shown }) => shown.length === 0)) throw new ChosenOtherwise("a watch is shown nothing soon");
  return { first, starved: findStarved(looks, patience) };
}

export const severalWatchers = watched.map((subject) =>
  defineCase({
    id: `stream/each-of-several-watchers-is-shown-the-${subject.what}`,
    says: `of several watches of one ${subject.what} that are open at a time, each shows what another shows, and not only once that has left`,
    waits: true,
    clauses: [subject.clause],
    rpc: subject.rpc,
    async run(context) {
      const { judge } = context;
      const [soon, later] = patiences;
      const early = await lookTogether(context, subject, soon);
      const { first, starved } = early.starved === undefined ? early : await lookTogether(context, subject, later);
      const { one, other, missed } = starved ?? { one: first, other: first, missed: { number: 0n, at: 0 } };
      judge(one.reply, undefined, starved === undefined ? [] : [other.reply]).satisfies(
        starved === undefined,
        `the ${subject.what} at ${missed.number}, as another watch showed ${Math.round(one.openMs - missed.at)} ms before this one was over`,
        describeReply(one.reply),
      );
    },
  }),
);
