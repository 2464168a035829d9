import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineInvariant } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { judgeRunEvents } from "../../harness/oracles/run-events.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { cancelRun, type RunScript, startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { follow } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { untilServed } from "../common/current-call.ts";
import { needsStream } from "../common/silent.ts";
import { heardOf, judgeNoLoss, judgeSameEvents, lastOf, spread } from "./run-events.ts";

export const events = defineInvariant({
  id: "stream/run-events-belong-to-their-run",
  says: "each message of a run's stream holds an event of that run, after the requested sequence, and in order",
  clauses: [
    "*.watch.shape",
    "*.watch.subject",
    "*.watch.not-older",
    "*.text.after",
    "*.watch.order",
    "*.text.final",
    "*.records.filled",
    "*.enums.specified",
  ],
  rows: (row) => row.subject === "run" && row.sequence !== undefined,
  judge: judgeRunEvents,
});

/** Judges that a watch showed the end of its run, as GetRun shows it. */
export async function judgeEnd(context: CaseContext, run: Subject, watched: Streamed): Promise<void> {
  const { setup, judge, needs } = context;
  const reply = lastOf(watched);
  needsStream(context, reply);
  const end = watched.events.find(isOver);
  // Reads may lag behind the watch.
  const late = end === undefined ? undefined : (await follow(context, run)).at(-1);
  const read = late ?? (await setup.read(run));
  needs(read);
  const final = recordIn(read);
  if (end === undefined && !isOver(final)) throw new Unproven("needs a run that ends within patience.settleMs");
  const shown = judge(reply, "*.watch.no-loss", [read]).satisfies(
    end !== undefined,
    `the end of the run, ${textAt(final, "state")}`,
    describeReply(reply),
  );
  if (!shown || end === undefined) return;
  judge(reply, "*.watch.current", [read]).satisfies(
    textAt(end, "state") === textAt(final, "state"),
    `${textAt(final, "state")}, as GetRun shows it ended`,
    textAt(end, "state"),
    "event.state",
  );
  // The error of an event is optional (Events 1).
  if (isDefault(end.error)) return;
  judge(reply, "*.watch.current", [read]).satisfies(
    textAt(end, "error.reason") === textAt(final, "error.reason"),
    `the error GetRun shows, ${showJson(final.error)}`,
    showJson(end.error),
    "event.error",
  );
}

/** Judges that the events of a watch show the states that reads of the same versions showed. */
function judgeStates({ judge }: CaseContext, watched: Streamed, reads: readonly Reply[]): void {
  const states = new Map(reads.map((reply) => [versionOf(recordIn(reply)), textAt(recordIn(reply), "state")]));
  for (const event of watched.events) {
    const version = textAt(event, "runResourceVersion") || "0";
    const read = states.get(version);
    if (read === undefined || version === "0") continue;
    judge(lastOf(watched), "*.watch.current", reads.slice(-1)).satisfies(
      textAt(event, "state") === read,
      `${read} at version ${version}, as GetRun showed`,
      textAt(event, "state"),
      "event.state",
    );
  }
}

/** True for a stream that was listened to, and did not even begin. */
const isSilent = ({ exchange: { response, failure } }: Reply) =>
  response === undefined && failure?.kind === "abandoned";

/** Runs that end in each way, by the script that brings them there. */
const endings: readonly (readonly [script: RunScript, what: string])[] = [
  ["complete", "a-succeeded-run"],
  ["fail", "a-failed-run"],
  ["unknown", "an-unknown-outcome-run"],
];

export const toTheEnd = endings.map(([script, what]) =>
  defineCase({
    id: `stream/watch-shows-${what}-to-its-end`,
    says: "a watch shows a run to its end as GetRun does, and all who watch at a time see the same events",
    clauses: ["beta.watch.no-loss", "beta.watch.current", "beta.watch.same-event", "beta.open.watch-history"],
    rpc: "beta.v1.RunService/WatchRun",
    async run(context) {
      const run = await startRun(context, script);
      const [reads, ...watched] = await Promise.all([
        follow(context, run),
        watchRun(context, run),
        watchRun(context, run, { after: "0" }),
        watchRun(context, run),
      ]);
      const [first = watched[0], ...others] = heardOf(watched);
      judgeStates(context, first, reads);
      await judgeEnd(context, run, first);
      for (const other of others) {
        await judgeEnd(context, run, other);
        judgeNoLoss(context, other, first.events, first.replies.slice(-1));
        judgeSameEvents(context, other, first);
      }
      const late = await watchRun(context, run);
      judgeNoLoss(context, late, first.events, first.replies.slice(-1));
      judgeSameEvents(context, late, first);
      const fewer = late.events.length < first.events.length;
      context.observe(
        "*.open.watch-history",
        `a watch of a finished run shows ${fewer ? "less than all" : "all"} of it`,
      );
      const more = first.replies.length > 1;
      context.observe("*.open.watch-end", more ? "a watch may end before its run" : "a watch lasts as its run does");
    },
  }),
);

export const resumed = defineCase({
  id: "stream/run-watch-resumes-after-the-given-event",
  says: "a watch resumed after any event shows the end of the run, and leaves out nothing between the events it shows",
  clauses: ["beta.watch.no-loss", "beta.watch.same-event", "beta.watch.not-older"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { target, observe } = context;
    const run = await startRun(context, "complete");
    const whole = await watchRun(context, run);
    await judgeEnd(context, run, whole);
    const { events } = whole;
    await Promise.all(
      spread(events.slice(0, -1)).map(async (event) => {
        const watched = await watchRun(context, run, { after: textAt(event, "sequence") });
        judgeNoLoss(context, watched, events.slice(events.indexOf(event) + 1), whole.replies.slice(-1));
        judgeSameEvents(context, watched, whole);
      }),
    );
    const last = textAt(events.at(-1), "sequence");
    const atEnd = await watchRun(context, run, {
      after: last,
      withinMs: target.settings.patience.quietMs,
      maxStreams: 1,
    });
    const ended = atEnd.replies.some((reply) => reply.exchange.response?.ended === true);
    observe("*.open.watch-end", ended ? "a watch of a finished run ends" : "a watch of a finished run stays open");
  },
});

export const interrupted = defineCase({
  id: "stream/interrupted-run-watch-resumes-without-loss",
  says: "a client that disconnects after each event and resumes sees the same events as a client that stays connected",
  clauses: ["beta.watch.no-loss", "beta.watch.same-event"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const run = await startRun(context, "complete");
    const [whole, pieces] = await Promise.all([watchRun(context, run), watchRun(context, run, { cutAfter: 1 })]);
    // Who has hung up may be counted as a watcher for a while yet.
    if (lastOf(whole).outcome === "served" && lastOf(pieces).outcome === "refused")
      throw new ChosenOtherwise("a watch is refused while others of the run are open");
    await judgeEnd(context, run, pieces);
    judgeNoLoss(context, pieces, whole.events, whole.replies.slice(-1));
    judgeSameEvents(context, pieces, whole);
  },
});

export const canceled = defineCase({
  id: "stream/run-watch-shows-a-concurrent-cancellation",
  says: "a watch that is open while its run is canceled shows how the run ends, though another watcher left before",
  clauses: ["beta.watch.no-loss", "beta.watch.current"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { row, setup, call, target } = context;
    const run = await startRun(context, "slow");
    const leaveAndCancel = async () => {
      await call(row, await setup.request(row, run), untilServed(row));
      await cancelRun(context, run);
    };
    // One patience until a cancellation is accepted, another until the run ends of it.
    const withinMs = 2 * target.settings.patience.settleMs;
    const [watched] = await Promise.all([watchRun(context, run, { withinMs }), leaveAndCancel()]);
    await judgeEnd(context, run, watched);
  },
});

export const awaiting = defineCase({
  id: "stream/run-watch-shows-awaiting-approval",
  says: "a watch shows that a run awaits approval, be it open when the run comes to that or opened later",
  clauses: ["beta.watch.no-loss", "beta.watch.current"],
  rpc: "beta.v1.RunService/WatchRun",
  async run(context) {
    const { setup, judge } = context;
    const run = await startRun(context, "approval");
    const waits = (event: JsonObject) => textAt(event, "state") === "RUN_STATE_AWAITING_APPROVAL" || isOver(event);
    const [live] = await Promise.all([watchRun(context, run, { isLast: waits }), awaitApproval(context, run)]);
    const late = await watchRun(context, run, { isLast: waits });
    const read = await setup.read(run);
    if (textAt(recordIn(read), "state") !== "RUN_STATE_AWAITING_APPROVAL")
      throw new Unproven("needs a run that awaits approval");
    // What is between may hold a stream back until it ends (TR-17); a watch to the end of its run shows what is lost.
    if ([live, late].every((watched) => isSilent(lastOf(watched))))
      throw new ChosenOtherwise("a watch answers nothing before its run has ended");
    for (const watched of [live, late]) {
      judgeStates(context, watched, [read]);
      judge(lastOf(watched), "*.watch.no-loss", [read]).satisfies(
        watched.events.some(waits),
        "RUN_STATE_AWAITING_APPROVAL, as GetRun shows it",
        describeReply(lastOf(watched)),
      );
    }
  },
});
