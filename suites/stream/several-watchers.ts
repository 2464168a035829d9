import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { versionNumber } from "../../harness/oracles/watch.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { describeReply, isObject, type Reply } from "../../harness/wire/reply.ts";

/** How many watch one job at a time. */
const watchers = 3;

/** How long all of them listen, and how much longer than another one a stream may be without what that was shown, in milliseconds. */
interface Patience {
  readonly listenMs: number;
  readonly lagMs: number;
}

/** The second is for who was late by the first: with another job, and with more time. */
const patiences: readonly [Patience, Patience] = [
  { listenMs: 1500, lagMs: 1000 },
  { listenMs: 6000, lagMs: 4000 },
];

/** What a stream of a watch showed. */
interface Look {
  readonly reply: Reply;
  /** Versions of the job, with when each came, in milliseconds since the stream was asked for. */
  readonly shown: readonly { readonly version: bigint; readonly at: number }[];
  /** How long it was listened to, or was open, in milliseconds. */
  readonly openMs: number;
}

function lookAt(reply: Reply): Look {
  const shown = reply.messages.flatMap(({ json, at }) => {
    const version = isObject(json.job) ? versionNumber(json.job.resourceVersion) : undefined;
    return version === undefined ? [] : [{ version, at }];
  });
  return { reply, shown, openMs: reply.exchange.durationMs };
}

/** Streams of one job that are open at a time. None is resumed, and none leaves before the others. */
async function watchTogether(context: CaseContext, { listenMs }: Patience): Promise<readonly Look[]> {
  const { row, setup, call } = context;
  const job = await startJob(context, "slow");
  const request = await setup.request(row, job);
  const options = { baseUrl: job.baseUrl, listenMs };
  const replies = await Promise.all(Array.from({ length: watchers }, () => call(row, request, options)));
  // Who refuses a further watcher of a job says so; a connection that broke is for other cases to judge.
  return replies
    .filter(({ outcome, exchange: { failure } }) =>
      outcome === "broken" ? failure?.kind === "abandoned" : outcome === "served",
    )
    .map(lookAt);
}

/** A stream that was open, and went without what another had been shown long before; and that other one. */
function findStarved(looks: readonly Look[], { lagMs }: Patience) {
  for (const other of looks) {
    for (const one of looks) {
      const late = other.shown.filter(({ at }) => at + lagMs <= one.openMs);
      const missed = late.find(({ version }) => one.shown.every((own) => own.version < version));
      if (missed !== undefined) return { one, other, missed };
    }
  }
  return undefined;
}

/** What three watchers came to: looks at them, and who of them starved. Throws ChosenOtherwise where they tell nothing. */
async function lookTogether(context: CaseContext, patience: Patience) {
  const looks = await watchTogether(context, patience);
  const [first] = looks;
  // The differential: what none is shown, or one alone is served, says nothing of several.
  if (first === undefined || looks.length < 2) throw new ChosenOtherwise("a job has one watcher at a time");
  if (looks.every(({ shown }) => shown.length === 0)) throw new ChosenOtherwise("a watch is shown nothing soon");
  return { first, starved: findStarved(looks, patience) };
}

export const severalWatchers = defineCase({
  id: "stream/each-of-several-watchers-is-shown-the-job",
  says: "of several watches of one job that are open at a time, each shows what another shows, and not only once that has left",
  waits: true,
  clauses: ["alpha.watch.no-loss"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const { judge } = context;
    const [soon, later] = patiences;
    const early = await lookTogether(context, soon);
    const { first, starved } = early.starved === undefined ? early : await lookTogether(context, later);
    const { one, other, missed } = starved ?? { one: first, other: first, missed: { version: 0n, at: 0 } };
    judge(one.reply, undefined, starved === undefined ? [] : [other.reply]).satisfies(
      starved === undefined,
      `the job at version ${missed.version}, as another watch showed ${Math.round(one.openMs - missed.at)} ms before this one was over`,
      describeReply(one.reply),
    );
  },
});
