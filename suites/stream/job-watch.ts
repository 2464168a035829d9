import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineInvariant } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { judgeAgreement } from "../../harness/oracles/agreement.ts";
import { judgeWatch, versionNumber, watchesRecord } from "../../harness/oracles/watch.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { type Watched, watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { follow } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Effect } from "../../proto/rpcs.ts";
import { otherTenantOf } from "../common/both-tenants.ts";
import { untilServed } from "../common/current-call.ts";
import { needsStream } from "../common/silent.ts";
import { lastOf, spread } from "./run-events.ts";

export const messages = defineInvariant({
  id: "stream/watch-messages-belong-to-their-subject",
  says: "each message of a watch is a heartbeat or a record of the requested subject, at no version older than shown before or resumed after",
  clauses: ["*.watch.one-of", "*.watch.subject", "*.watch.order", "*.watch.not-older", "*.watch.heartbeat"],
  rows: (row) => row.effect === Effect.WATCH && watchesRecord(row),
  judge: judgeWatch,
});

/** Judges that a watch showed the end of its job, as GetJob shows it. */
async function judgeEnd(context: CaseContext, job: Subject, watched: Watched): Promise<JsonObject> {
  const { setup, row, judge, needs } = context;
  const reply = lastOf(watched);
  needsStream(context, reply);
  const shown = watched.jobs.find(isOver);
  // Reads may lag behind the watch.
  const late = shown === undefined ? undefined : (await follow(context, job)).at(-1);
  const read = late ?? (await setup.read(job));
  needs(read);
  const final = recordIn(read);
  if (shown === undefined && !isOver(final)) throw new Unproven("needs a job that ends within patience.settleMs");
  judge(reply, "*.watch.no-loss", [read]).satisfies(
    shown !== undefined,
    `the end of the job, ${textAt(final, "state")} at version ${versionOf(final)}`,
    describeReply(reply),
  );
  const message = row.record?.field.message;
  if (shown !== undefined && message !== undefined) {
    const seen = { source: "WatchJob", record: shown, settled: true };
    const other = { source: "GetJob", record: final, settled: true };
    judge(reply, "*.records.agree", [read]).keeps(judgeAgreement(message, seen, [other], new Set(), "job"));
  }
  return final;
}

export const toTheEnd = defineCase({
  id: "stream/watch-shows-a-job-to-its-end",
  says: "a watch shows a running job to its end, and two watchers do not contradict each other",
  clauses: ["alpha.watch.no-loss", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/WatchJob",
  smoke: () => true,
  async run(context) {
    const { observe } = context;
    const [twice, failing] = await Promise.all([startJob(context, "retry"), startJob(context, "fail")]);
    const [first, second, third] = await Promise.all([
      watchJob(context, twice, undefined),
      watchJob(context, twice, undefined),
      watchJob(context, failing, undefined),
    ]);
    await Promise.all([
      judgeEnd(context, twice, first),
      judgeEnd(context, twice, second),
      judgeEnd(context, failing, third),
    ]);
    judgeTogether(context, first, second);
    observe(
      "*.open.watch-end",
      first.replies.length > 1 ? "a watch may end before its job" : "a watch lasts as its job does",
    );
  },
});

/** Judges that two watchers saw the same states wherever both saw a version. */
function judgeTogether({ judge }: CaseContext, first: Watched, second: Watched): void {
  const reply = lastOf(second);
  const states = new Map(first.jobs.map((job) => [versionOf(job), textAt(job, "state")]));
  for (const job of second.jobs) {
    const [other, own] = [states.get(versionOf(job)), textAt(job, "state")];
    if (other === undefined) continue;
    judge(reply, "*.records.agree", first.replies.slice(-1)).satisfies(
      own === other,
      `${other} at version ${versionOf(job)}, as another watcher saw it`,
      own,
      "job.state",
    );
  }
}

/** Watches a job that is canceled meanwhile, though another watcher left before, and judges that it shows how the job ends. */
async function watchCanceled(context: CaseContext): Promise<Watched> {
  const { row, setup, call, needs } = context;
  const job = await startJob(context, "slow");
  const leave = async () => call(row, await setup.request(row, job), { baseUrl: job.baseUrl, ...untilServed(row) });
  const cancel = async () => {
    const now = (await setup.current(job)) ?? job;
    const reply = await call(
      "alpha.v1.JobService/CancelJob",
      {
        requestId: setup.requestId(),
        ...setup.tenant(),
        jobId: job.id,
        expectedResourceVersion: now.version,
      },
      { baseUrl: job.baseUrl },
    );
    return reply.outcome === "served" ? needs(reply) : undefined;
  };
  const [watched] = await Promise.all([
    watchJob(context, job, undefined),
    leave().then(() => context.poll(cancel, context.target.settings.patience.settleMs)),
  ]);
  await judgeEnd(context, job, watched);
  return watched;
}

export const canceled = defineCase({
  id: "stream/job-watch-shows-a-concurrent-cancellation",
  says: "a watch that is open while its job is canceled shows how the job ends, though another watcher left before, and nothing of a job of the other workspace that is watched and canceled at the same time",
  // An invariant judges whose job a watch shows.
  clauses: ["alpha.watch.no-loss", "alpha.watch.subject"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const elsewhere = context.run.depth === "smoke" ? undefined : otherTenantOf(context);
    const [watched] = await Promise.all([watchCanceled(context), elsewhere && orUndefined(watchCanceled(elsewhere))]);
    context.observe(
      "*.open.heartbeats",
      watched.heartbeats > 0 ? "a watch sends heartbeats" : "a short watch had no heartbeat",
    );
  },
});

/** A job that is in the state it began in for longer is not waited for, in milliseconds. */
const maxMoveMs = 2000;

const hasMoved = (job: Subject, record: JsonObject) => textAt(record, "state") !== textAt(job.record, "state");

/** The reading of a job that first shows it in another state than it began in. Throws ChosenOtherwise where none does soon. */
async function untilMoved({ setup, poll, target }: CaseContext, job: Subject): Promise<Reply> {
  const moved = await poll(
    async () => {
      const read = await setup.read(job);
      return read.outcome === "served" && hasMoved(job, recordIn(read)) ? read : undefined;
    },
    Math.min(maxMoveMs, target.settings.patience.settleMs),
  );
  if (moved === undefined) throw new ChosenOtherwise("a job that goes on stays in the state it begins in");
  return moved;
}

export const live = defineCase({
  id: "stream/open-job-watch-shows-a-change-of-state",
  says: "a watch that is open while its job comes to another state shows that, and not only to who watches again once it has ended",
  clauses: ["alpha.watch.no-loss"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const { judge, target } = context;
    // What the first does, the second is expected to do: else a watch would wait for what never comes.
    await untilMoved(context, await startJob(context, "slow"));
    const job = await startJob(context, "slow");
    const { settleMs } = target.settings.patience;
    const isLast = (record: JsonObject) => hasMoved(job, record);
    const [watched, read] = await Promise.all([
      watchJob(context, job, undefined, settleMs, isLast),
      untilMoved(context, job),
    ]);
    judge(lastOf(watched), undefined, [read]).satisfies(
      watched.jobs.some(isLast),
      `${textAt(recordIn(read), "state")}, as GetJob shows the job`,
      describeReply(lastOf(watched)),
      "job.state",
    );
  },
});

export const resumed = defineCase({
  id: "stream/job-watch-resumes-after-the-given-version",
  says: "a watch resumed after any earlier version shows the end of the job",
  clauses: ["alpha.watch.no-loss"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const { target, judge, observe } = context;
    const job = await startJob(context, "retry");
    const live = await watchJob(context, job, undefined);
    const final = await judgeEnd(context, job, live);
    const versions = [...new Set([job.version, ...live.jobs.map(versionOf)])];
    const last = versionNumber(final.resourceVersion);
    const past = versions.filter((version) => {
      const number = versionNumber(version);
      return number !== undefined && last !== undefined && number < last && number !== 0n;
    });
    await Promise.all(
      spread(past).map(async (version) => {
        const watched = await watchJob(context, job, version);
        const reply = lastOf(watched);
        judge(reply).satisfies(
          watched.jobs.some(isOver),
          `after ${version}, the end of the job at version ${versionOf(final)}`,
          describeReply(reply),
        );
      }),
    );
    // After the last version nothing is left to show; the snapshot may be sent again. An invariant judges that none is older.
    const { quietMs } = target.settings.patience;
    const atEnd = await watchJob(context, job, versionOf(final), quietMs);
    const resent = atEnd.jobs.length > 0 ? "sends its snapshot again" : "sends no snapshot";
    observe("*.open.watch-end", `a watch resumed at the end of its job ${resent}`);
    const ended = atEnd.replies.some((reply) => reply.exchange.response?.ended === true);
    observe("*.open.watch-end", ended ? "a watch of a finished job ends" : "a watch of a finished job stays open");
  },
});

export const finished = defineCase({
  id: "stream/watch-of-a-finished-job-shows-its-end",
  says: "a watch of a finished job shows how it ended",
  clauses: ["alpha.watch.no-loss", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/WatchJob",
  async run(context) {
    const job = await context.setup.shared("job");
    await judgeEnd(context, job, await watchJob(context, job, undefined));
  },
});
