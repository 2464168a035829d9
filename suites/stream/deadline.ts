import { defineRule } from "../../harness/case/case.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";

/** The client's deadline, and how long it is waited for what the server makes of it, in milliseconds. */
const deadlineMs = 200;
const listenMs = 900;

/** Timers are not exact: what ended so much before the deadline ended for another reason. */
const earlyMs = 50;

/** What comes so much later is no matter of the deadline, in milliseconds: a target that passes it over may be busy by then. */
const lateMs = 300;

/** Codes of a target that is busy, or ends watches after a time: any call may be answered so (docs/contract/readings.md#26). */
const busyCodes = new Set(["unavailable", "resource_exhausted"]);

export const deadline = defineRule({
  id: "stream/deadline-ends-a-stream-as-deadline-exceeded",
  says: "a watch of work in progress that ends by an error once the client's deadline has passed says deadline_exceeded",
  clauses: ["connect.stream.deadline", "*.open.watch-end"],
  rows: (row) => row.effect === Effect.WATCH,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const work = await (row.package === "alpha.v1" ? startJob(context, "slow") : startRun(context, "slow"));
    const request = { ...(await setup.request(row, work)), ...work.within };
    const reply = await call(row, request, {
      baseUrl: work.baseUrl,
      headers: [["connect-timeout-ms", String(deadlineMs)]],
      listenMs,
    });
    const error = reply.outcome === "broken" ? undefined : reply.error;
    const { durationMs } = reply.exchange;
    const passed = durationMs >= deadlineMs - earlyMs;
    const isBusy = error !== undefined && busyCodes.has(error.code) && durationMs > deadlineMs + lateMs;
    if (error === undefined || isBusy) {
      observe("*.open.watch-end", "a watch may go on, or end well, past the client's deadline");
      return;
    }
    judge(reply).satisfies(
      !passed || error.code === "deadline_exceeded",
      "the code deadline_exceeded",
      `${error.code}: ${describeReply(reply)}`,
    );
  },
});
